// The loops over the dimensions that a group with reductions keeps: in the order of memory, not of
// the shape.
//
//   sum of permute(x, {1, 0, 2}) over its first dimension, x of [64, 100, 48]
//     kept 64 * 48, lanes go across both: a gather     ->     64 and 48, lanes go along the 48
//
// The order of each reduction stays, and so do the bits of the results.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "backend/lower/builder.h"

namespace vitro::backend {

// What a group with reductions reads and writes in one turn of its loops.
struct SweepAccesses {
  std::shared_ptr<loop::Pool> pool;      // of the loads
  std::vector<const loop::Node*> loads;  // those that are reduced come first
  std::vector<Expr> stored;              // elements of stores
  std::vector<Expr> elements;            // of stores, loads and numbers
};
SweepAccesses accesses_of(const Program& program, const BufferAssignment& assignment,
                          const Group& group);
// Whether the element changes along the reduced dimensions: it is not one of a row.
bool is_swept(Expr element, const IterationSpace& space);
// How far elements of neighbouring lanes are apart, where they lie beside each other along `inner`
// instead of along the lanes.
std::optional<Expr> stride_across(Expr element, Expr lane, Expr inner);

// The group with such loops; as it is where its own already are such.
Group swept_in_memory_order(const Program& program, const BufferAssignment& assignment,
                            const Group& group);

}  // namespace vitro::backend
