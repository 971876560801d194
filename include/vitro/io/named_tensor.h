// A tensor with the name that it has in a file.
#pragma once

#include <string>

#include "vitro/core/tensor.h"

namespace vitro::io {

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

}  // namespace vitro::io
