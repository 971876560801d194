// Building blocks of shape rules. They work on Size: numbers are computed, symbols also record
// guards.
#pragma once

#include <string_view>

#include "vitro/core/op.h"

namespace vitro::ops {

// Categories of dtypes that an op takes (after promotion).
enum class Accepts : uint8_t { all, no_bool, floating, not_floating };

// The sizes to which both broadcast, by PyTorch's rule. Error naming `op` if they do not.
Sizes broadcast(std::string_view op, const Sizes& a, const Sizes& b);
// Whether two shapes are equal in this run; for symbolic sizes the answer becomes a guard.
bool equal_sizes(const Sizes& a, const Sizes& b);

// Requires -rank <= dim < rank and returns it non-negative (rank 0 counts as 1). Error naming `op`.
int64_t wrap_dim(std::string_view op, int64_t dim, int64_t rank);
// Distinct and ascending; an empty list means all.
Dims wrap_dims(std::string_view op, const Dims& dims, int64_t rank);

// Appends the result of a pointwise op: promoted dtype, broadcast sizes, and the strides that
// TensorIterator chooses (dense, in the order of the operands' strides).
void shape_of_pointwise(ShapeCall& call, const PointwiseInfo& info, Accepts accepts);
// The dtype to which the operands of a pointwise op are promoted; the op computes in
// compute_type() of it. `result`: the dtype of the result.
DType common_dtype(std::span<const Argument> operands, const PointwiseInfo& info, DType result);
// The dtype to which operand `i` is rounded before it is converted to the compute type: `common`,
// or in some cases the compute type itself (see Numbers).
DType operand_dtype(const Argument& operand, size_t i, const PointwiseInfo& info, DType common);

// Appends the result of a reduction over `dims`.
void shape_of_reduction(ShapeCall& call, const ReducedDims& dims, DType result);

// Strides of a new tensor of sizes `meta.sizes`, as torch.empty_like(preserve_format) chooses them:
// those of `meta` if it is dense without overlap, else dense in the order of its strides.
Sizes strides_like(const TensorMeta& meta);

// A dense row-major result.
TensorMeta dense(DType dtype, Device device, Sizes sizes);

// An expression with its value in the current call.
Size this_run(sym::Expr e);

// Computes strides and offset of a view from its index map, if each operand index is affine in the
// indices of the result.
void strides_from_map(const TensorMeta& operand, TensorMeta& result, AttrsView attrs,
                      const ViewInfo& view);

// The index symbols that are passed to maps of `rank` dimensions to derive strides.
std::span<const sym::Expr> probe_indices(int rank);

}  // namespace vitro::ops
