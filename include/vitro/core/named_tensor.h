// A tensor with the name that it has in a module or a file.
#pragma once

#include <string>

#include "vitro/core/tensor.h"

namespace vitro {

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

}  // namespace vitro
