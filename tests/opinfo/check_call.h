// One call of an op, as PyTorch's own samples make it: eager and compiled, compared with PyTorch.
#pragma once

#include <cstdint>
#include <string>

#include "op_samples.h"

namespace vitro::test {

struct Finding {
  enum class Kind : uint8_t { passed, skipped, failed } kind = Kind::passed;
  std::string why;  // if not passed
};

// Eager results must be PyTorch's: dtypes, sizes, strides, memory shared with the first operand,
// and elements within the sample's tolerance. Compiled ones, for static and for symbolic sizes,
// must have every bit of eager's. A call that PyTorch refuses must throw an Error. Skipped: ops
// that do not exist, arguments that they do not take.
Finding check_call(const OpSample& sample, bool compiled);

// The gradients of a call, also of second order, must be PyTorch's within the sample's tolerance.
// Compiled ones, for static and for symbolic sizes, must have every bit of eager's.
Finding check_gradients(const OpSample& sample, bool compiled);

}  // namespace vitro::test
