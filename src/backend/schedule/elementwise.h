// Loops without a reduction: how they are cut into tasks and tiles, and when a chain of functions
// becomes several loops.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "backend/schedule/machine_model.h"
#include "vitro/base/verdict.h"
#include "vitro/sym/expr.h"

namespace vitro::backend {

// ---- tasks ----

// Elements of a task where the innermost loop is cut, and of a stretch that goes through rows: so
// many of them stay in the first cache.
inline constexpr int64_t elements_of_block = 1024;
// Whether a loop of that extent becomes blocks, in a kernel that has so many other tasks.
Verdict should_cut_loop(const MachineModel& machine, sym::Expr other_tasks, sym::Expr extent);

// ---- tiles ----

// Of a tile, along the innermost loop.
inline constexpr int64_t side_of_tile = 64;
// Along the loop in which memory is contiguous; `bytes`: of one element of each tile.  All tiles
// together stay in the first cache.
int64_t width_of_tile(const MachineModel& machine, int64_t bytes);
// The same where the rows of the result are shorter than `least_side`.
inline constexpr int64_t width_beside_short = 256;

// ---- stages ----

// Steps that a function of this cost takes, where it waits for its operand.
int steps_of(int cost);
// Whether operations stand on top of each other so high that the loop is cut below them, and
// whether what is that high is worth a row.
bool is_deep(const MachineModel& machine, int steps);
bool is_worth_a_stage(int steps);
// Whether what is so cheap is computed again from the row of what it reads.
bool follows_its_operand(int cost);
// Whether several loops that need such a value read it from a row.
bool is_worth_sharing_between_stages(int cost);
// Whether the loops together cost too much, beside what is computed once.
bool is_too_much_again(int64_t once, int64_t all);
// Whether a loop of at most `turns` is cut into so many; `steps`: of the deepest chain.
Verdict should_cut_into_stages(sym::Expr turns, int steps, int loops);

}  // namespace vitro::backend
