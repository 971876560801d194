// Products: which operands are packed into panels, and how rows go from one product to the next.
#pragma once

#include <cstdint>
#include <optional>

#include "backend/schedule/machine_model.h"
#include "vitro/base/verdict.h"
#include "vitro/sym/expr.h"

namespace vitro::backend {

// Whether weights that could be packed once, and whose rows are contiguous, are read where they lie
// by a product of m rows; no number: it differs between calls.
Verdict should_read_weights(std::optional<int64_t> m);
// Whether a right operand with k contiguous, of n columns, is read where it lies: the left one, of
// m rows, is packed at every call instead.
Verdict should_pack_left(const MachineModel& machine, std::optional<int64_t> m,
                         std::optional<int64_t> n);

// What accesses that go element by element cost beside the turning over of a block.
inline constexpr int cost_of_steps_across = 3;
// Less than the side of a block that is turned over in registers.
bool is_below_block(sym::Expr size);

// Rows of a block of products that hand rows to each other: few enough that there are tasks for all
// threads, and blocks of one height.
sym::Expr rows_of_chain(const MachineModel& machine, sym::Expr rows, sym::Expr batches);
// Columns of the first product that are computed at once, whose panels are packed on the way.
inline constexpr int64_t columns_of_chain = 256;

// A product's flops count less than those of elementary functions: the tile reaches the peak.
inline constexpr double flops_at_once = 10;

}  // namespace vitro::backend
