// The values of tests/data/nn.npz (tools/make_nn_samples.py), and the numbers that inputs and
// parameters have there and here.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "vitro/core/tensor.h"
#include "vitro/nn/module.h"

namespace vitro::nn {

struct Sample {
  std::vector<float> results, gradients;
  std::string keys;  // a line for each parameter: its name and sizes
};
// Error if there is none.
const Sample& sample(const std::string& name);

// Numbers in [-0.5, 0.5), times scale, plus shift.
Tensor real(uint32_t stream, std::initializer_list<int64_t> sizes, double scale = 4,
            double shift = 0);
// Sets the parameters of a module.
void fill(Module& module);

// The keys of a module that is the submodule "m" of `root`, as Sample has them.
std::string keys_of(Module& root);

}  // namespace vitro::nn
