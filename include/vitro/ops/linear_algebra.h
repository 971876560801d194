// Products of vectors and matrices, diagonals and triangles, written with ops.
//   Tensor y = einsum("bij,bjk->bik", {a, b});   Tensor d = diag_embed(x);
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

#include "vitro/ops/define.h"

namespace vitro {

// Letters name the dimensions of each operand, "..." those that broadcast. A letter that occurs
// twice in an operand selects its diagonal; letters that the result lacks are summed. Without "->"
// the result has the letters that occur once, in alphabetical order.
Tensor einsum(std::string_view equation, std::span<const Tensor> tensors,
              std::source_location from = std::source_location::current());
inline Tensor einsum(std::string_view equation, std::initializer_list<Tensor> tensors,
                     std::source_location from = std::source_location::current()) {
  return einsum(equation, std::span(tensors.begin(), tensors.size()), from);
}

Tensor outer(ops::At x, const Tensor& vec2);
Tensor inner(ops::At x, const Tensor& other);  // sums over the last dimensions
Tensor dot(ops::At x, const Tensor& tensor);
Tensor vdot(ops::At x, const Tensor& other);  // dot of the complex conjugate of x
Tensor mv(ops::At x, const Tensor& vec);
// Sums over pairs of dimensions; the others of x come before the others of `other`.
Tensor tensordot(ops::At x, const Tensor& other, DimsArg dims_self, DimsArg dims_other);
Tensor kron(ops::At x, const Tensor& other);
// Along dim, of size 3. `cross` without dim takes the first dimension of that size.
Tensor linalg_cross(ops::At x, const Tensor& other, int64_t dim = -1);
Tensor cross(ops::At x, const Tensor& other, std::optional<int64_t> dim = {});
// beta * x + alpha * outer(vec1, vec2).
Tensor addr(ops::At x, const Tensor& vec1, const Tensor& vec2, const Scalar& beta = 1,
            const Scalar& alpha = 1);
// The product of all matrices, in the order with the fewest operations; the first and the last may
// be vectors.
Tensor linalg_multi_dot(ops::TensorsArg tensors,
                        std::source_location from = std::source_location::current());

Tensor trace(ops::At x);
Tensor diag(ops::At x, int64_t diagonal = 0);  // of a vector: a matrix
Tensor diag_embed(ops::At x, int64_t offset = 0, int64_t dim1 = -2, int64_t dim2 = -1);
// The indices [2, count] of a triangle of a matrix, row by row.
Tensor tril_indices(int64_t row, int64_t col, int64_t offset = 0, DType dtype = DType::i64,
                    std::optional<Device> device = {},
                    std::source_location from = std::source_location::current());
Tensor triu_indices(int64_t row, int64_t col, int64_t offset = 0, DType dtype = DType::i64,
                    std::optional<Device> device = {},
                    std::source_location from = std::source_location::current());
// The powers 0 ... N - 1 of each element, as a new last dimension.
Tensor linalg_vander(ops::At x, std::optional<int64_t> N = {});
// The powers of each element of a vector, from N - 1 to 0, or from 0 on.
Tensor vander(ops::At x, std::optional<int64_t> N = {}, bool increasing = false);

}  // namespace vitro
