// The value that masked_fill and index_fill write: a number, or a tensor without dimensions.
#pragma once

#include <string_view>

#include "vitro/ops/define.h"

namespace vitro::ops {

struct FillValue {
  Tensor tensor;  // without dimensions; undefined: `number`
  Scalar number;
  Operand operand() const { return tensor.defined() ? Operand(tensor) : Operand(number); }
};

// The value as one of `dtype`: a number, or a tensor without dimensions of that dtype. Floating
// numbers are rounded towards 0 for integers. Error of `op` if the dtype cannot hold the value,
// which for a tensor is found when it is computed.
FillValue fill_value(std::string_view op, const Operand& value, DType dtype,
                     std::source_location where);

}  // namespace vitro::ops
