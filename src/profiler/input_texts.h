// The inputs of a slice as JSON lists, as written by PyTorch's profiler.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "vitro/events/values.h"

namespace vitro {

struct InputTexts {
  std::string types, dims, strides, concrete;

  // If `unnamed_only`, named values are left out: they are separate arguments.  False if nothing is
  // left.
  bool read(std::span<const std::byte> inputs, bool unnamed_only);

 private:
  void add(const events::Value& value);
};

// "float" for f32: the dtype names of PyTorch's traces.
std::string_view torch_type(const events::TensorValue& tensor);

}  // namespace vitro
