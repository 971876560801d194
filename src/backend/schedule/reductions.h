// How reductions are cut into tasks and pieces, and when their sweeps are kernels of their own.
#pragma once

#include <cstdint>
#include <optional>

#include "backend/schedule/machine_model.h"
#include "vitro/base/verdict.h"
#include "vitro/sym/expr.h"

namespace vitro::backend {

// The reductions of a kernel, each to one element, as tasks take them: in blocks, one after
// another.
struct Reductions {
  sym::Expr tasks, blocks;
  int64_t block_bytes;  // that a task reduces in one block
  bool takes_columns;   // a task reduces columns that lie beside each other
  bool turned = false;  // a task's lanes reduce rows that lie across memory
};

// Blocks of a piece, a power of two: it stays in the cache of a core.
int64_t blocks_of_piece(const MachineModel& machine, const Reductions& reductions);
// Whether reductions that are swept once are cut into pieces, which threads share.
Verdict should_share_reductions(const MachineModel& machine, const Reductions& reductions);
// Whether the sweeps over reductions that are swept several times are kernels of their own.
Verdict should_sweep_apart(const MachineModel& machine, const Reductions& reductions);

// Columns that a task takes, where it reduces `rows` of them; `again`: it sweeps them more than
// once.
int64_t columns_of_strip(const MachineModel& machine, sym::Expr columns, sym::Expr rows,
                         bool again);
// The same of reductions with few rows, whose state stays in registers.
inline constexpr int64_t columns_of_few_rows = 64;
// Of sixteen lanes that reduce a row each, whose states are apart.
inline constexpr int64_t columns_of_turned_rows = 256;
// Of a scan whose lanes are columns.
inline constexpr int64_t columns_of_scan = 256;
// Of a scan whose lanes are rows: the rows, and the steps, of a tile that is turned over.
inline constexpr int64_t rows_of_scan = 16, steps_of_scan = 64;
// Whether a scan along rows has lanes of rows: sixteen rows take the time of one, but for the
// turns. `cost`: of a step.
Verdict should_turn_scan(sym::Expr rows, sym::Expr steps, int cost);
// Of elements that are put where indices say.
inline constexpr int64_t columns_of_puts = 32;
// What an element costs that is put in order, beside being read.
inline constexpr int64_t operations_of_sorted = 16;
// Of the states of pieces that become one.
inline constexpr int64_t columns_of_states = 1024;
// Where columns lie along memory, so that they are turned over: a line of each of sixteen, and the
// blocks that a tile has.
inline constexpr int64_t columns_of_tile = 16, blocks_of_tile = 4;

// A side that is shorter is not worth turning over, nor swept across.
inline constexpr int64_t least_side = 8;
bool is_short_side(sym::Expr size);

// Rows that lie across memory, a block of them turned over into scratch, which stays in the cache.
struct RowBlocks {
  int64_t rows;   // of a block
  int64_t pitch;  // elements from row to row in scratch
};
// `bytes`: of an element of each load that lies so.
Verdict should_block_rows(const MachineModel& machine, sym::Expr rows, int64_t length,
                          int64_t bytes, RowBlocks* blocks);

}  // namespace vitro::backend
