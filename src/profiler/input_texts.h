// What a slice was given, as lists that PyTorch's profiler writes, in JSON.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "vitro/events/values.h"

namespace vitro {

struct InputTexts {
  std::string types, dims, strides, concrete;

  // Values with a name are left out where `unnamed_only`: they stand as arguments of their own.
  // False where nothing is left.
  bool read(std::span<const std::byte> inputs, bool unnamed_only);

 private:
  void add(const events::Value& value);
};

// "float" for f32, as PyTorch's traces call the dtypes.
std::string_view torch_type(const events::TensorValue& tensor);

}  // namespace vitro
