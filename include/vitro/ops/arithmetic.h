// Elementwise functions that are written with ops.
//   Tensor y = lerp(a, b, 0.25);   Tensor z = xlogy(p, q);   Tensor n = nan_to_num(x);
// Halves are computed in f32 and rounded once.
#pragma once

#include <optional>

#include "vitro/ops/define.h"

namespace vitro {

Tensor clamp_min(ops::At x, const Operand& min);
Tensor clamp_max(ops::At x, const Operand& max);
// x + weight * (end - x).
Tensor lerp(ops::At x, const Tensor& end, const Operand& weight);
Tensor addcmul(ops::At x, const Tensor& tensor1, const Tensor& tensor2, const Scalar& value = 1);
Tensor addcdiv(ops::At x, const Tensor& tensor1, const Tensor& tensor2, const Scalar& value = 1);
// x * log(other) and x * log(1 + other), but 0 where x is 0 and other is not NaN.
Tensor xlogy(ops::First x, const Operand& other);
Tensor xlog1py(ops::First x, const Operand& other);
// log(x / (1 - x)), of x within [eps, 1 - eps] if eps is given.
Tensor logit(ops::At x, std::optional<double> eps = {});
Tensor sinc(ops::At x);  // sin(pi * x) / (pi * x), 1 at 0
Tensor entr(ops::At x);  // -x * log(x), 0 at 0, -infinity below
Tensor ndtr(ops::At x);  // the probability that a standard normal number is at most x
// The limits of the dtype unless given.
Tensor nan_to_num(ops::At x, std::optional<double> nan = {}, std::optional<double> posinf = {},
                  std::optional<double> neginf = {});
// Whether |x - other| <= atol + rtol * |other|.
Tensor isclose(ops::At x, const Tensor& other, double rtol = 1e-5, double atol = 1e-8,
               bool equal_nan = false);
// Whether all elements are close, or equal. Both read an element: a graph break in a compiled
// function. Tensors of different sizes are not equal.
bool allclose(ops::At x, const Tensor& other, double rtol = 1e-5, double atol = 1e-8,
              bool equal_nan = false);
bool equal(ops::At x, const Tensor& other);
Tensor isfinite(ops::At x);
Tensor isposinf(ops::At x);
Tensor isneginf(ops::At x);
Tensor heaviside(ops::At x, const Tensor& values);  // 0 below 0, 1 above, `values` at 0
// Without overflow.
Tensor hypot(ops::At x, const Tensor& other);
// |x| with the sign of other, of zeros too; that of a NaN counts as positive.
Tensor copysign(ops::At x, const Operand& other);
Tensor float_power(ops::First x, const Operand& exponent);  // in f64
Tensor ldexp(ops::At x, const Tensor& other);               // x * 2^other
// Shifts by less than 0, or by more bits than the dtype has, shift out all bits.
Tensor bitwise_left_shift(ops::First x, const Operand& other);
Tensor bitwise_right_shift(ops::First x, const Operand& other);

}  // namespace vitro
