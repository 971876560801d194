// Products: which operands are packed into panels, and how rows pass from one product to the next.
#pragma once

#include <cstdint>
#include <optional>

#include "backend/schedule/machine_model.h"
#include "kernels/product.h"
#include "vitro/base/verdict.h"
#include "vitro/sym/expr.h"

namespace vitro::backend {

// Whether a product of m rows reads weights in place that could be packed once and whose rows are
// contiguous; m is empty if it differs between calls.
Verdict should_read_weights(std::optional<int64_t> m);
// Whether a right operand of n columns that is contiguous along k is read in place: the left
// operand, of m rows, is packed at every call instead. `kept`: panels of the right operand would be
// packed once.
Verdict should_pack_left(const MachineModel& machine, std::optional<int64_t> m,
                         std::optional<int64_t> n, bool kept);

// Whether memory that is read or written after `count` sums, so many bytes for each, is prefetched
// while they are added.
bool should_prefetch(const MachineModel& machine, std::optional<int64_t> count, int64_t bytes);

// Whether a product of f32 with a parameter is computed by six products of bf16 parts, which
// changes bits; `m`: rows of the operand that is split on the way, `n`: columns of the packed one.
Verdict should_multiply_parts(const MachineModel& machine, std::optional<int64_t> m,
                              std::optional<int64_t> n, std::optional<int64_t> k);

// The same if the parts of the right operand, of n columns, are kept: they take more memory than
// it.
Verdict should_keep_parts(const MachineModel& machine, std::optional<int64_t> m,
                          std::optional<int64_t> n, std::optional<int64_t> k);

// A convolution of windows with parameters, whose operand is split block by block: parts of the
// parameters are kept, which take more memory than they.
struct SplitConvolution {
  kernels::Windows windows = {};  // of all images
  int64_t images = 1, columns = 0;
};
// Whether it is computed by parts, and the maximum rows of a block.
struct SplitChoice {
  Verdict verdict = Verdict::no("");
  int64_t most_rows = 0;
};
SplitChoice choose_split(const MachineModel& machine, const SplitConvolution& of);

// Whether a convolution of one channel and `columns` results per group reads a copy of its operand
// in which each channel stands as often, as results of channels of their own: products of so few
// columns would fill a part of a tile, and together they have at least a vector of channels.
bool should_repeat_channels(int64_t groups, int64_t columns);

// Cost of element-by-element accesses, relative to transposing a block.
inline constexpr int cost_of_steps_across = 3;
// Whether a size is less than the side of a block that is transposed in registers.
bool is_below_block(sym::Expr size);

// Rows of a block in a chain of products: few enough to have tasks for all threads, and blocks of
// equal height.
sym::Expr rows_of_chain(const MachineModel& machine, sym::Expr rows, sym::Expr batches);
// Columns of the first product that are computed at a time; their panels are packed on the fly.
inline constexpr int64_t columns_of_chain = 256;

// Flops of a product count less than those of elementary functions: its register tiles reach the
// machine's peak.
inline constexpr double flops_at_once = 10;

}  // namespace vitro::backend
