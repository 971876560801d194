// A table of a model's modules and their parameters.
//   std::cout << nn::summary(model);
#pragma once

#include <string>

#include "vitro/nn/module.h"

namespace vitro::nn {

// Lines ending in '\n'. For each module: its path, its kind if it has one, the number of elements
// of all parameters in it, their share of the model's, and how many of them require a gradient; the
// model itself comes last. A tensor that is several parameters counts once in each module. Below it
// the elements of buffers, and the memory of both.
std::string summary(Module& model);

}  // namespace vitro::nn
