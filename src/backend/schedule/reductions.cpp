// Decides how reductions and scans are cut into pieces, strips and blocks of rows. The lowering
// calls these functions; each verdict has a reason that reports show.
#include "backend/schedule/reductions.h"

#include <algorithm>
#include <bit>

#include "backend/schedule/fusion.h"
#include "vitro/base/cat.h"

namespace vitro::backend {
namespace {

const Code few_reductions{"V0413", "few long reductions are swept several times",
                          "One kernel would sweep each reduction on one thread: if reductions are "
                          "few and long, each sweep is a kernel whose threads share them.",
                          "", "Nothing."};

// Empty if unknown.
std::optional<bool> are_short(const MachineModel& machine, const Reductions& reductions) {
  return sym::prove_less(reductions.blocks, 2 * blocks_of_piece(machine, reductions));
}

bool are_fewer(const Reductions& reductions, int64_t than) {
  return sym::prove_less(reductions.tasks, than).value_or(false);
}

}  // namespace

int64_t blocks_of_piece(const MachineModel& machine, const Reductions& reductions) {
  const int64_t blocks = std::max<int64_t>(machine.l2_bytes / 4 / reductions.block_bytes, 1);
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(blocks)));
}

Verdict should_share_reductions(const MachineModel& machine, const Reductions& reductions) {
  // A piece of turned rows stores the states of all lanes: that pays only for very few reductions.
  const int64_t enough =
      reductions.turned ? machine.enough_shared_tasks(4) : machine.enough_tasks(4);
  if (!are_fewer(reductions, enough))
    return Verdict::no("there are enough reductions for all threads");
  if (are_short(machine, reductions).value_or(false))
    return Verdict::no("its reductions are short");
  return Verdict::yes("threads share the pieces of a reduction");
}

Verdict should_sweep_apart(const MachineModel& machine, const Reductions& reductions) {
  if (are_short(machine, reductions).value_or(true)) return Verdict::no("its reductions are short");
  if (are_fewer(reductions, machine.enough_shared_tasks(4))) {
    return {true,
            cat("there are few long reductions (", reductions.tasks,
                "), which threads share; one kernel would give each to one thread"),
            &few_reductions};
  }
  const int64_t bytes = reductions.blocks.constant().value_or(0) * reductions.block_bytes;
  if (reductions.takes_columns && bytes > machine.l2_bytes) {
    return {true, "the next sweep would not find the columns in the cache", &few_reductions};
  }
  return Verdict::no("a task finds its reduction in the cache when it sweeps again");
}

int64_t columns_of_strip(const MachineModel& machine, sym::Expr columns, sym::Expr rows,
                         bool again) {
  constexpr int64_t once = 512, most = 1024, least = 64;
  constexpr int64_t bytes = sizeof(float);  // of most elements
  // Rows with such a stride map to few cache sets: not even a narrow strip stays in the cache.
  constexpr int64_t crowded_stride = 1024;
  if (!again) return once;
  const auto known = columns.constant(), reduced = rows.constant();
  if (!known || !reduced || *known * bytes % crowded_stride == 0) return most;
  const int64_t fits = most_bytes_of_strip(machine) / std::max<int64_t>(*reduced * bytes, 1);
  return fits >= least ? std::min(most, fits / machine.lanes * machine.lanes) : most;
}

int64_t columns_of_few_turned_rows(sym::Expr columns) {
  constexpr int64_t least_tasks = 4, lanes = 16;
  const auto known = columns.constant();
  if (!known) return columns_of_turned_rows;
  const int64_t of_task = (*known + least_tasks - 1) / least_tasks;
  return std::min(columns_of_turned_rows, (of_task + lanes - 1) / lanes * lanes);
}

bool is_short_side(sym::Expr size) {
  return sym::prove_less(size, least_side).value_or(false);
}

Verdict should_turn_scan(sym::Expr rows, sym::Expr steps, int cost) {
  // If a side may be short, steps of this cost pay for transposing even a few elements.
  constexpr int dear_step = 4;
  for (const sym::Expr side : {rows, steps}) {
    const auto is_short = sym::prove_less(side, rows_of_scan);
    if (is_short.value_or(false)) return Verdict::no("a side is short");
    if (!is_short && cost < dear_step) return Verdict::no("a side may be short");
  }
  return Verdict::yes(cat(rows_of_scan, " rows at a time are transposed and scanned together"));
}

Verdict should_block_rows(const MachineModel& machine, sym::Expr rows, int64_t length,
                          int64_t bytes, RowBlocks* blocks) {
  constexpr int64_t most_rows = 64, least_rows = 16;
  const int64_t good_bytes = machine.l2_bytes / 4, most_bytes = machine.l2_bytes / 2;
  const int64_t enough = machine.enough_shared_tasks(2);
  // One vector more than needed: rows whose pitch is a power of two would map to few cache sets.
  const int64_t vectors = (length + machine.lanes - 1) / machine.lanes + 1;
  RowBlocks out{most_rows, vectors * machine.lanes};
  const int64_t row_bytes = out.pitch * bytes;
  const auto has_blocks = [&](int64_t count) {
    return !sym::prove_less(rows, count * out.rows).value_or(false);
  };
  while (out.rows > least_rows && (out.rows * row_bytes > good_bytes || !has_blocks(enough))) {
    out.rows /= 2;
  }
  if (out.rows * row_bytes > most_bytes) return Verdict::no("a block would not stay in the cache");
  const auto count = rows.constant();
  const bool is_small = count && *count * row_bytes <= good_bytes;
  if (!is_small && !has_blocks(enough / 2)) {
    return Verdict::no("there would be too few blocks for the threads");
  }
  *blocks = out;
  return Verdict::yes(cat("rows are strided in memory: ", out.rows, " at a time are transposed"));
}

}  // namespace vitro::backend
