// Gradients of functions of matrices that are computed from decompositions but have gradients where
// the factors have none: where singular values are equal or 0.
#pragma once

#include <optional>

#include "vitro/base/function_ref.h"
#include "vitro/core/tensor.h"

namespace vitro::ops {

// Each returns the result of `compute`, whose calls are not recorded, with a gradient.

// The pseudo-inverse of a.
Tensor pinv_of(const Tensor& a, FunctionRef<Tensor()> compute);
// The pseudo-inverse of a times b. `rtol`: that of the pseudo-inverse.
Tensor least_squares_of(const Tensor& a, const Tensor& b, std::optional<double> rtol,
                        FunctionRef<Tensor()> compute);
// The determinant of a, of which lu and pivots are the decomposition.
Tensor det_of(const Tensor& a, const Tensor& lu, const Tensor& pivots,
              FunctionRef<Tensor()> compute);

// The product of the signs of the exchanges of rows.
Tensor sign_of_pivots(const Tensor& pivots, DType dtype);

}  // namespace vitro::ops
