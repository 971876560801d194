// What shape rules are made of.  They run on Size: on plain numbers they compute, on symbols they
// also leave guards.
#pragma once

#include <string_view>

#include "vitro/core/op.h"

namespace vitro::ops {

// Categories of dtypes that an op takes (after promotion).
enum class Accepts : uint8_t { all, no_bool, floating, not_floating };

// Sizes that both broadcast to, by PyTorch's rule.  Error naming `op` where they do not.
Sizes broadcast(std::string_view op, const Sizes& a, const Sizes& b);
// Whether two shapes are equal in this run; asked of symbolic sizes, so that the answer is kept.
bool equal_sizes(const Sizes& a, const Sizes& b);

// -rank <= dim < rank, made non-negative (rank 0 counts as 1).  Error naming `op`.
int64_t wrap_dim(std::string_view op, int64_t dim, int64_t rank);
// Distinct and ascending; none given means all.
Dims wrap_dims(std::string_view op, const Dims& dims, int64_t rank);

// Fills the one result of a pointwise op: promoted dtype, broadcast sizes, strides as
// TensorIterator chooses them (dense, in the order of the operands' strides).
void shape_of_pointwise(ShapeCall& call, const PointwiseInfo& info, Accepts accepts);
// The dtype that the operands of a pointwise op are promoted to; it is computed in
// compute_type(that).  `result`: the dtype of the result.
DType common_dtype(std::span<const Argument> operands, const PointwiseInfo& info, DType result);
// The dtype that operand `i` is rounded to on its way to what is computed in: `common`, or less
// often what is computed in itself (see Numbers).
DType operand_dtype(const Argument& operand, size_t i, const PointwiseInfo& info, DType common);

// Fills the one result of a reduction over `dims`.
void shape_of_reduction(ShapeCall& call, const ReducedDims& dims, DType result);

// Strides of a new tensor of sizes `meta.sizes`, as torch.empty_like(preserve_format) chooses them:
// those of a tensor without holes, else dense in the order of its strides.
Sizes strides_like(const TensorMeta& meta);

// A dense result in row-major order.
TensorMeta dense(DType dtype, Device device, Sizes sizes);

// An expression with its value in the call that is running.
Size this_run(sym::Expr e);

// Strides and offset of a view from its index map, where each operand index is affine in the
// result's index.
void strides_from_map(const TensorMeta& operand, TensorMeta& result, AttrsView attrs,
                      const ViewInfo& view);

// The index symbols that maps of `rank` dimensions are asked about when strides are derived.
std::span<const sym::Expr> probe_indices(int rank);

}  // namespace vitro::ops
