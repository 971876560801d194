// Runs a model with trained weights for bench/trained.
#pragma once

#include <string>

namespace vitro::bench {

// FOLDER/model.json has the steps of the model (bench/ncnn.py describes them),
// FOLDER/model.safetensors its weights and the input.  Writes FOLDER/results.safetensors: the
// result of eager, of compiled with `exact`, and of compiled.  Prints as JSON how often a compiled
// call computes each kind of convolution: {"conv3x3 64→64, Winograd F4": 16}.
int run_trained(const std::string& folder);

}  // namespace vitro::bench
