// Activation functions that are written with ops; activation.h has those that are ops.
//   Tensor y = hardswish(x);   Tensor z = glu(y, -1);
// Halves are computed in f32 and rounded once.
#pragma once

#include <optional>

#include "vitro/ops/define.h"

namespace vitro {

Tensor hardsigmoid(ops::At x);
Tensor hardswish(ops::At x);
Tensor relu6(ops::At x);
Tensor mish(ops::At x);
Tensor selu(ops::At x);
Tensor celu(ops::At x, const Scalar& alpha = 1.);
// `weight` has one element, or one for each channel, which is dimension 1 of x.
Tensor prelu(ops::At x, const Tensor& weight);
Tensor softsign(ops::At x);
Tensor tanhshrink(ops::At x);
Tensor hardshrink(ops::At x, const Scalar& lambd = 0.5);
Tensor softshrink(ops::At x, const Scalar& lambd = 0.5);
// `value` where x is at most `threshold`; both take x's dtype.
Tensor threshold(ops::At x, const Scalar& threshold, const Scalar& value);
Tensor log_sigmoid(ops::At x);
Tensor glu(ops::At x, int64_t dim = -1);
// softmax of (x + random numbers of the Gumbel distribution) / tau; if `hard`, 1 for the largest of
// each row and 0 for the others, with the gradient of the soft result.
Tensor gumbel_softmax(ops::At x, double tau = 1, bool hard = false, int64_t dim = -1);
Tensor softmin(ops::At x, int64_t dim, std::optional<DType> dtype = {});
// leaky_relu with a random slope for each element; without `training` with the mean of the bounds.
Tensor rrelu(ops::At x, const Scalar& lower = 0.125, const Scalar& upper = 1. / 3,
             bool training = false);

}  // namespace vitro
