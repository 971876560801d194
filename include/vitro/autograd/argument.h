// Arguments of functions that take tensors and other values (function.h, checkpoint.h).
#pragma once

#include <type_traits>

#include "vitro/core/tensor.h"

namespace vitro::autograd {

// The argument if it is a tensor, otherwise an undefined one.
template <class Argument>
Tensor tensor_argument(const Argument& argument) {
  if constexpr (std::is_same_v<Argument, Tensor>)
    return argument;
  else
    return {};
}

}  // namespace vitro::autograd
