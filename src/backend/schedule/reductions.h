// How reductions are cut into tasks and pieces, and when each of their sweeps is a separate kernel.
#pragma once

#include <cstdint>
#include <optional>

#include "backend/schedule/machine_model.h"
#include "vitro/base/verdict.h"
#include "vitro/sym/expr.h"

namespace vitro::backend {

// The reductions of a kernel, each to one element, as tasks process them: one block after another.
struct Reductions {
  sym::Expr tasks, blocks;
  int64_t block_bytes;  // bytes that a task reduces in one block
  bool takes_columns;   // a task reduces adjacent columns
  bool turned = false;  // a task's lanes reduce rows that are not contiguous
};

// Blocks of a piece, a power of two: a piece fits in a core's cache.
int64_t blocks_of_piece(const MachineModel& machine, const Reductions& reductions);
// Whether reductions with one sweep are cut into pieces, which threads share.
Verdict should_share_reductions(const MachineModel& machine, const Reductions& reductions);
// Whether each sweep of reductions with several sweeps is a separate kernel.
Verdict should_sweep_apart(const MachineModel& machine, const Reductions& reductions);

// Columns of a task that reduces `rows` rows; `again`: it sweeps them more than once.
int64_t columns_of_strip(const MachineModel& machine, sym::Expr columns, sym::Expr rows,
                         bool again);
// The same for reductions of few rows, whose state stays in registers.
inline constexpr int64_t columns_of_few_rows = 64;
// The same for sixteen lanes that each reduce a row and keep their states apart.
inline constexpr int64_t columns_of_turned_rows = 256;
// The same if threads share only the columns.
int64_t columns_of_few_turned_rows(sym::Expr columns);
// The same for a scan whose lanes are columns.
inline constexpr int64_t columns_of_scan = 256;
// Rows and steps of a transposed tile, in a scan whose lanes are rows.
inline constexpr int64_t rows_of_scan = 16, steps_of_scan = 64;
// Whether a scan along rows uses lanes of rows: sixteen rows then take the time of one, plus the
// transposes. `cost`: of a step.
Verdict should_turn_scan(sym::Expr rows, sym::Expr steps, int cost);
// Columns of a task that puts elements at given indices.
inline constexpr int64_t columns_of_puts = 32;
// Cost of sorting an element, on top of reading it.
inline constexpr int64_t operations_of_sorted = 16;
// Columns of a task that merges the states of pieces.
inline constexpr int64_t columns_of_states = 1024;
// Tiles of columns that are contiguous in memory, so that they are transposed: a line of each of
// sixteen columns, and the blocks of a tile.
inline constexpr int64_t columns_of_tile = 16, blocks_of_tile = 4;

// A shorter side is not worth transposing or sweeping across.
inline constexpr int64_t least_side = 8;
bool is_short_side(sym::Expr size);

// Rows that are not contiguous: a block of them is transposed into scratch that stays in the cache.
struct RowBlocks {
  int64_t rows;   // of a block
  int64_t pitch;  // elements from row to row in scratch
};
// `bytes`: of one element of each load that is not contiguous.
Verdict should_block_rows(const MachineModel& machine, sym::Expr rows, int64_t length,
                          int64_t bytes, RowBlocks* blocks);

}  // namespace vitro::backend
