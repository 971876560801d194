// Reductions: how folds are cut into tasks and pieces, and when their walks are kernels of their
// own.
#pragma once

#include <cstdint>
#include <optional>

#include "backend/schedule/machine_model.h"
#include "vitro/base/verdict.h"
#include "vitro/sym/expr.h"

namespace vitro::backend {

// The folds of a kernel, as tasks take them: each in blocks, all of them one after the other.
struct Folds {
  sym::Expr tasks, blocks;
  int64_t block_bytes;  // that a task folds in one block
  bool takes_columns;   // a task folds columns that lie beside each other
  bool turned = false;  // a task's lanes fold rows that lie across memory
};

// Blocks of a piece, a power of two: it stays in the cache of a core.
int64_t blocks_of_piece(const MachineModel& machine, const Folds& folds);
// Whether folds that are walked once are cut into pieces, which threads share.
Verdict should_share_folds(const MachineModel& machine, const Folds& folds);
// Whether the walks over folds that are walked several times are kernels of their own.
Verdict should_walk_apart(const MachineModel& machine, const Folds& folds);

// Columns that a task takes, where it folds `rows` of them; `again`: it walks them more than once.
int64_t columns_of_strip(const MachineModel& machine, sym::Expr columns, sym::Expr rows,
                         bool again);
// The same of folds with few rows, whose state stays in registers.
inline constexpr int64_t columns_of_few_rows = 64;
// Of sixteen lanes that fold a row each, whose states are apart.
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

// A side that is shorter is not worth turning over, nor walked across.
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
