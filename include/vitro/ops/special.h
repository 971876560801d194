// More elementwise functions that are written with ops, and sums of products.
//   Tensor y = logaddexp(a, b);   Tensor d = dist(x, y, 1);
// Halves are computed in f32 and rounded once.
#pragma once

#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "vitro/ops/define.h"

namespace vitro {

// log(e^x + e^other) and log2(2^x + 2^other), without overflow.
Tensor logaddexp(ops::At x, const Tensor& other);
Tensor logaddexp2(ops::At x, const Tensor& other);
// The larger and the smaller one; a NaN only if both are.
Tensor fmax(ops::At x, const Tensor& other);
Tensor fmin(ops::At x, const Tensor& other);
Tensor frac(ops::At x);  // x - trunc(x)
Tensor deg2rad(ops::At x);
Tensor rad2deg(ops::At x);
Tensor signbit(ops::At x);  // whether x is negative, -0 included; not for NaN
Tensor angle(ops::At x);    // pi below 0, else 0
// other - alpha * x.
Tensor rsub(ops::At x, const Operand& other, const Scalar& alpha = 1);
Tensor round_decimals(ops::At x, int64_t decimals);  // aten's round.decimals
// x = mantissa * 2^exponent with a mantissa of at least 0.5 and below 1.
std::pair<Tensor, Tensor> frexp(ops::At x);

Tensor lgamma(ops::At x);   // the logarithm of |gamma(x)|
Tensor digamma(ops::At x);  // its derivative
Tensor erfinv(ops::At x);

// The p-norm of x - other.
Tensor dist(ops::At x, const Tensor& other, double p = 2);
// x with the slices along dim scaled so that their p-norms are at most maxnorm.
Tensor renorm(ops::At x, double p, int64_t dim, double maxnorm);
// Only the rows of the weight at the indices.
Tensor embedding_renorm(ops::At weight, const Tensor& indices, double max_norm, double norm_type);
Tensor linalg_vecdot(ops::At x, const Tensor& y, int64_t dim = -1);
// beta * x + alpha * (mat @ vec), and the sum of batches of products.
Tensor addmv(ops::At x, const Tensor& mat, const Tensor& vec, const Scalar& beta = 1,
             const Scalar& alpha = 1);
Tensor addbmm(ops::At x, const Tensor& batch1, const Tensor& batch2, const Scalar& beta = 1,
              const Scalar& alpha = 1);
// input1 * weight[k] * input2 summed over the last dimensions, for each k.
Tensor bilinear(ops::At input1, const Tensor& input2, const Tensor& weight,
                const Tensor& bias = {});
Tensor linalg_matrix_power(ops::At x, int64_t n);  // n < 0: of the inverse

}  // namespace vitro
