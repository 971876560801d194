// Norms and distances.
//   Tensor n = linalg_vector_norm(x, 2, {-1});   Tensor d = cdist(a, b);
// Halves are computed in f32 and rounded once. The gradient of a norm is 0 where the norm is 0.
#pragma once

#include <optional>
#include <string_view>

#include "vitro/ops/define.h"

namespace vitro {

// (sum of |x|^ord)^(1 / ord) over `dim`, all dimensions by default. ord = 0 counts what is not 0;
// infinity is the largest |x|, -infinity the smallest.
Tensor linalg_vector_norm(ops::At x, const Scalar& ord = 2, DimsArg dim = {}, bool keepdim = false,
                          std::optional<DType> dtype = {});
Tensor norm(ops::At x, const Scalar& p = 2, DimsArg dim = {}, bool keepdim = false,
            std::optional<DType> dtype = {});
// ord = 1 (the largest sum of a column), infinity (of a row), 2 (the largest singular value), or
// their negatives (the smallest); "fro" (the root of the sum of squares), "nuc" (the sum of the
// singular values). For singular values see decomposition.h.
Tensor linalg_matrix_norm(ops::At x, const Scalar& ord, DimsArg dim = {-2, -1},
                          bool keepdim = false, std::optional<DType> dtype = {});
Tensor linalg_matrix_norm(ops::At x, std::string_view ord = "fro", DimsArg dim = {-2, -1},
                          bool keepdim = false, std::optional<DType> dtype = {});

// The norm of matrices if `ord` is given and there are two dimensions, else of vectors.
Tensor linalg_norm(ops::At x, const std::optional<Scalar>& ord = {}, DimsArg dim = {},
                   bool keepdim = false, std::optional<DType> dtype = {});
Tensor linalg_norm(ops::At x, std::string_view ord, DimsArg dim = {}, bool keepdim = false,
                   std::optional<DType> dtype = {});

// x / its norm along dim, or / eps if that is larger.
Tensor normalize(ops::At x, double p = 2, int64_t dim = 1, double eps = 1e-12);
Tensor cosine_similarity(ops::At x1, const Tensor& x2, int64_t dim = 1, double eps = 1e-8);
// The norm of x1 - x2 + eps along the last dimension.
Tensor pairwise_distance(ops::At x1, const Tensor& x2, double p = 2, double eps = 1e-6,
                         bool keepdim = false);
// Between the rows of x1 [..., n, d] and of x2 [..., m, d]: [..., n, m]. compute_mode chooses an
// implementation in PyTorch and changes nothing here.
Tensor cdist(ops::At x1, const Tensor& x2, double p = 2, std::optional<int64_t> compute_mode = {});
// Between each two rows of x [n, d]: [n * (n - 1) / 2].
Tensor pdist(ops::At x, double p = 2);

}  // namespace vitro
