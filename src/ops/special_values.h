// Conversions of special functions: they are computed in a wider type and rounded once.
#pragma once

#include <span>

#include "ops/value.h"

namespace vitro::ops {

// The dtype of a function to floating-point numbers.
inline DType float_of(DType dtype) {
  return is_floating(dtype) ? dtype : default_float;
}
Value wide_double(const At& x);
// y in the dtype of the result for x.
Tensor rounded(const Tensor& y, const At& x);

// The derivative of sin(t) / t.
Value slope_of_sine_ratio(const Value& t);

// terms[0] + terms[1] * x + ...
Value polynomial(std::span<const double> terms, const Value& x);

}  // namespace vitro::ops
