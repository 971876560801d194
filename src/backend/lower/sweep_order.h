// Orders the loops over the kept dimensions of a group with reductions as memory is ordered, not as
// the shape is.
//
//   sum of permute(x, {1, 0, 2}) over its first dimension, x of [64, 100, 48]
//     kept 64 * 48, lanes go across both: a gather     ->     64 and 48, lanes go along the 48
//
// The order of each reduction stays the same, and so do the bits of the results.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "backend/lower/builder.h"

namespace vitro::backend {

// The accesses of a group with reductions in one iteration of its loops.
struct SweepAccesses {
  std::shared_ptr<loop::Pool> pool;      // of the loads
  std::vector<const loop::Node*> loads;  // those that are reduced come first
  std::vector<Expr> stored;              // elements of stores
  std::vector<Expr> elements;            // of stores, loads and numbers
};
SweepAccesses accesses_of(const Program& program, const BufferAssignment& assignment,
                          const Group& group);
// Whether the element changes along the reduced dimensions, so that it is not one per row.
bool is_swept(Expr element, const IterationSpace& space);
// The stride between elements of neighbouring lanes, if memory is contiguous along `inner` instead
// of along the lanes.
std::optional<Expr> stride_across(Expr element, Expr lane, Expr inner);

// The group with loops in memory order; unchanged if its loops already are.
Group swept_in_memory_order(const Program& program, const BufferAssignment& assignment,
                            const Group& group);

}  // namespace vitro::backend
