// More functions of ATen that arrange the dimensions of tensors, split and join them.
//   Tensor y = movedim(x, {0}, {-1});   Tensor z = block_diag({a, b});
#pragma once

#include <source_location>
#include <span>
#include <vector>

#include "vitro/ops/define.h"

namespace vitro {

Tensor broadcast_to(ops::At x, SizesArg size);
Tensor expand_as(ops::At x, const Tensor& other);
Tensor view_as(ops::At x, const Tensor& other);
// The same memory as elements of another dtype, as in PyTorch: where their sizes differ, the last
// dimension gets longer or shorter.  Has no gradient.  In a compiled function the memory has to be
// there: the graph ends before the call.
Tensor view(ops::At x, DType dtype);
// All expanded to the sizes to which they broadcast.
std::vector<Tensor> broadcast_tensors(ops::TensorsArg tensors,
                                      std::source_location from = std::source_location::current());
Tensor sum_to_size(ops::At x, SizesArg size);  // the inverse: sums what broadcasting repeats

Tensor mT(ops::At x);  // the last two dimensions exchanged; a number as it is
// Dimensions moved to other places; the others keep their order.
Tensor movedim(ops::At x, DimsArg source, DimsArg destination);
Tensor unflatten(ops::At x, int64_t dim, SizesArg sizes);  // one dimension as several
Tensor ravel(ops::At x);                                   // flat and contiguous
// With at least so many dimensions: a vector is a row of a matrix, a matrix has a last dimension
// of size 1.
Tensor atleast_1d(ops::At x);
Tensor atleast_2d(ops::At x);
Tensor atleast_3d(ops::At x);
Tensor tile(ops::At x, SizesArg dims);  // repeat, with 1 for missing dimensions in front

// Parts of x along dimension 1 (0 of vectors), 0 and 2: so many, or split before the indices.
std::vector<Tensor> hsplit(ops::At x, int64_t sections);
std::vector<Tensor> hsplit_at(ops::At x, const Dims& indices);
std::vector<Tensor> vsplit(ops::At x, int64_t sections);
std::vector<Tensor> vsplit_at(ops::At x, const Dims& indices);
std::vector<Tensor> dsplit(ops::At x, int64_t sections);
std::vector<Tensor> dsplit_at(ops::At x, const Dims& indices);

// The tensors as columns of a matrix: vectors as one each, matrices as theirs.
Tensor column_stack(ops::TensorsArg tensors,
                    std::source_location from = std::source_location::current());
// A matrix with the matrices on its diagonal, else 0; vectors are rows.
Tensor block_diag(ops::TensorsArg tensors,
                  std::source_location from = std::source_location::current());
Tensor diagflat(ops::At x, int64_t offset = 0);  // diag of the flat x
// The first half of each dimension exchanged with the second; of the dimensions given, if any.
Tensor fft_fftshift(ops::At x, DimsArg dim = {});
Tensor fft_ifftshift(ops::At x, DimsArg dim = {});
// The combinations of r elements of a vector, in order, one per row.
Tensor combinations(ops::At x, int64_t r = 2, bool with_replacement = false);

}  // namespace vitro
