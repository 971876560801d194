// Functions that move, repeat or select elements, or create tensors, written with ops.
//   Tensor y = roll(x, {1}, {-1});   Tensor z = repeat_interleave(x, 2, 0);
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "vitro/ops/define.h"

namespace vitro {

// Moves elements along dims; those that leave at the end enter at the begin. Without dims x is
// moved as if it were flat.
Tensor roll(ops::At x, SizesArg shifts, DimsArg dims = {});
Tensor fliplr(ops::At x);  // along dimension 1
Tensor flipud(ops::At x);  // along dimension 0
// k quarter turns from the first of dims to the second.
Tensor rot90(ops::At x, int64_t k = 1, DimsArg dims = {0, 1});

// Pieces of x along dim: so many, the first ones longer by one if needed, or split before the
// indices.
std::vector<Tensor> tensor_split(ops::At x, int64_t sections, int64_t dim = 0);
std::vector<Tensor> tensor_split_at(ops::At x, const Dims& indices, int64_t dim = 0);
// A grid of vectors, each along its own dimension; indexing "xy" swaps the first two dimensions.
std::vector<Tensor> meshgrid(ops::TensorsArg tensors, std::string_view indexing = "ij",
                             std::source_location from = std::source_location::current());
// All combinations of the elements of vectors, one per row.
Tensor cartesian_prod(ops::TensorsArg tensors,
                      std::source_location from = std::source_location::current());

// Each element along dim repeated; without dim x is flat first. With a tensor of repeats, one for
// each element, the size of the result depends on data unless it is given.
Tensor repeat_interleave(ops::At x, Size repeats, std::optional<int64_t> dim = {});
Tensor repeat_interleave(ops::At x, const Tensor& repeats, std::optional<int64_t> dim = {},
                         std::optional<Size> output_size = {});

Tensor eye(Size n, std::optional<Size> m = {}, DType dtype = default_float,
           std::optional<Device> device = {},
           std::source_location from = std::source_location::current());
// `steps` numbers from start to end, both included.
Tensor linspace(const Scalar& start, const Scalar& end, int64_t steps, DType dtype = default_float,
                std::optional<Device> device = {},
                std::source_location from = std::source_location::current());
Tensor logspace(const Scalar& start, const Scalar& end, int64_t steps, double base = 10,
                DType dtype = default_float, std::optional<Device> device = {},
                std::source_location from = std::source_location::current());
// The same between numbers or tensors without dimensions, rounded to the dtype first.
Tensor linspace_between(const Operand& start, const Operand& end, int64_t steps,
                        DType dtype = default_float, std::optional<Device> device = {},
                        std::source_location from = std::source_location::current());
Tensor logspace_between(const Operand& start, const Operand& end, int64_t steps, double base = 10,
                        DType dtype = default_float, std::optional<Device> device = {},
                        std::source_location from = std::source_location::current());
// A new last dimension with 1 at each index, else 0; of the size max + 1 unless it is given.
Tensor one_hot(ops::At x, int64_t num_classes = -1);
// The sequences [length, ...] as one tensor [longest, count, ...], or [count, longest, ...], with
// padding_value after ("right") or before ("left") the shorter ones.
Tensor pad_sequence(ops::TensorsArg sequences, bool batch_first = false, double padding_value = 0,
                    std::string_view padding_side = "right",
                    std::source_location from = std::source_location::current());

// n times the differences of neighbours along dim.
Tensor diff(ops::At x, int64_t n = 1, int64_t dim = -1, const Tensor& prepend = {},
            const Tensor& append = {});
// Integrals by the trapezoidal rule, of y at x, or at places that are dx apart.
Tensor trapezoid(ops::At y, const Tensor& x, int64_t dim = -1);
Tensor trapezoid(ops::At y, const Scalar& dx = 1, int64_t dim = -1);
Tensor cumulative_trapezoid(ops::At y, const Tensor& x, int64_t dim = -1);
Tensor cumulative_trapezoid(ops::At y, const Scalar& dx = 1, int64_t dim = -1);

// Counts the elements in `bins` equal parts of [min, max], by default from the smallest to the
// largest element. Others are not counted.
Tensor histc(ops::At x, int64_t bins = 100, const Scalar& min = 0, const Scalar& max = 0);
Tensor count_nonzero(ops::At x, DimsArg dim = {});
Tensor stddev(ops::At x, DimsArg dim = {}, double correction = 1, bool keepdim = false);

// The index in each sorted row where an element would be inserted: before elements that are equal,
// or behind them if `right`.
Tensor searchsorted(ops::At sorted_sequence, const Tensor& x, bool out_int32 = false,
                    bool right = false);
Tensor bucketize(ops::At x, const Tensor& boundaries, bool out_int32 = false, bool right = false);
// Whether each element is among test_elements.
Tensor isin(ops::At elements, const Tensor& test_elements, bool invert = false);

}  // namespace vitro
