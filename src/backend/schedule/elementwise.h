// Loops without a reduction: how they are cut into tasks and tiles, and when a chain of functions
// is split into several loops.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "backend/schedule/machine_model.h"
#include "vitro/base/verdict.h"
#include "vitro/sym/expr.h"

namespace vitro::backend {

// ---- tasks ----

// Elements of a task if the innermost loop is cut, and of a stretch if values go through rows: they
// fit in the L1 cache.
inline constexpr int64_t elements_of_block = 1024;
// Whether a loop of this extent is cut into blocks, in a kernel with `other_tasks` tasks from its
// other loops.
Verdict should_cut_loop(const MachineModel& machine, sym::Expr other_tasks, sym::Expr extent);

// ---- tiles ----

// Extent of a tile along the innermost loop.
inline constexpr int64_t side_of_tile = 64;
// Extent of a tile along the loop in which memory is contiguous; `bytes`: of one element of each
// tile. All tiles together fit in the L1 cache.
int64_t width_of_tile(const MachineModel& machine, int64_t bytes);
// The same if the rows of the result are shorter than `least_side`.
inline constexpr int64_t width_beside_short = 256;

// ---- stages ----

// Latency of a function of this cost, in steps of MachineModel::overlapped_steps.
int steps_of(int cost);
// Whether a chain of dependent operations is so long that the loop is cut below its end, and
// whether a value at this depth is worth a scratch row.
bool is_deep(const MachineModel& machine, int steps);
bool is_worth_a_stage(int steps);
// Whether a value of this cost is computed again from its operand's row instead of having one.
bool follows_its_operand(int cost);
// Whether a value of this cost that several loops need gets a row.
bool is_worth_sharing_between_stages(int cost);
// Whether the loops together (`all`) cost too much compared with computing each value once.
bool is_too_much_again(int64_t once, int64_t all);
// Whether a loop of at most `turns` iterations is cut into `loops` loops; `steps`: of the deepest
// chain.
Verdict should_cut_into_stages(sym::Expr turns, int steps, int loops);

}  // namespace vitro::backend
