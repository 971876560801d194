// Functions of ATen that are a few calls of other ops, mostly under names of NumPy.
//   Tensor y = repeat(x, {2, 1});   Tensor z = vstack({x, y});
#pragma once

#include <optional>
#include <source_location>
#include <span>

#include "vitro/ops/define.h"

namespace vitro {

// x itself, x with the dtype or the sizes of `other`, x with two or all dimensions exchanged.
Tensor alias(ops::At x);
Tensor type_as(ops::At x, const Tensor& other);
Tensor reshape_as(ops::At x, const Tensor& other);
Tensor swapaxes(ops::At x, int64_t axis0, int64_t axis1);
Tensor numpy_T(ops::At x);

// x repeated along each dimension; further counts add dimensions in front.
Tensor repeat(ops::At x, SizesArg repeats);

Tensor multiply(ops::At x, const Operand& other);
// The sum of the elements that are not NaN.
Tensor nansum(ops::At x, DimsArg dim = {}, bool keepdim = false, std::optional<DType> dtype = {});

// gather whose operands are broadcast in the other dimensions, with indices modulo the size of
// `dim`; without `dim`, of flattened operands.
Tensor take_along_dim(ops::At x, const Tensor& indices, std::optional<int64_t> dim = {});
// x, broadcast with the mask, with elements of `source`, in order, where the mask is true.
Tensor masked_scatter(ops::At x, const Tensor& mask, const Tensor& source);

// cat along dimension 1 (0 for vectors), 0 and 2 of tensors of at least 1, 2 and 3 dimensions: a
// vector is a row of a matrix, a matrix has a last dimension of size 1.
Tensor hstack(ops::TensorsArg tensors, std::source_location from = std::source_location::current());
Tensor vstack(ops::TensorsArg tensors, std::source_location from = std::source_location::current());
Tensor dstack(ops::TensorsArg tensors, std::source_location from = std::source_location::current());

// beta * x + alpha * bmm(batch1, batch2); x is not read if beta is 0.
Tensor baddbmm(ops::At x, const Tensor& batch1, const Tensor& batch2, const Scalar& beta = 1,
               const Scalar& alpha = 1);

}  // namespace vitro
