#include "backend/lower/row_blocks.h"

#include <algorithm>

#include "backend/lower/sweep_order.h"

namespace vitro::backend {
namespace {

// Bytes of an element of each load that is contiguous across the reductions; 0 if there is none, or
// if some access does not profit from a block of rows.
int64_t bytes_across(const Program& program, const BufferAssignment& assignment,
                     const Group& group) {
  const IterationSpace& space = group.iteration.space;
  const Expr lane = space.index.back(), row = space.index[space.index.size() - 2];
  const SweepAccesses accesses = accesses_of(program, assignment, group);
  const auto is_across = [&](Expr element) {
    return std::any_of(space.index.begin(), space.index.end() - 1,
                       [&](Expr other) { return stride_across(element, lane, other).has_value(); });
  };
  if (std::any_of(accesses.stored.begin(), accesses.stored.end(), is_across)) return 0;
  int64_t bytes = 0;
  for (const loop::Node* load : accesses.loads) {
    if (stride_across(load->index, lane, row)) {
      bytes += bytes_of(load->dtype);
    } else if (is_across(load->index)) {
      return 0;
    }
  }
  return bytes;
}

}  // namespace

Verdict rows_in_blocks(const Program& program, const BufferAssignment& assignment,
                       const Group& group, RowBlocks* blocks) {
  const IterationSpace& space = group.iteration.space;
  const size_t rank = space.sizes.size();
  const auto reduced = std::count(space.reduced.begin(), space.reduced.end(), true);
  if (rank < 2 || !space.reduced.back() || space.reduced[rank - 2] || reduced != 1) {
    return Verdict::no("no rows are reduced");
  }
  const auto length = space.sizes.back().constant();
  if (!length) return Verdict::no("the length of its rows differs between calls");
  const Expr rows = space.sizes[rank - 2];
  if (is_short_side(*length) || is_short_side(rows)) return Verdict::no("a side is short");
  const auto overwrites = [&](ComputeNodeId id) { return program.overwrites(id); };
  if (std::any_of(group.stored.begin(), group.stored.end(), overwrites)) {
    return Verdict::no("it overwrites what it reads");
  }
  const int64_t bytes = bytes_across(program, assignment, group);
  if (bytes == 0) return Verdict::no("its rows are not strided in memory");
  return should_block_rows(program.machine(), rows, *length, bytes, blocks);
}

}  // namespace vitro::backend
