// The iteration space that the compute nodes of a group share, and the index maps from it to the
// elements of a compute node.
#pragma once

#include <optional>
#include <vector>

#include "backend/program/program.h"

namespace vitro::backend {

// An element's index, in terms of the indices of an iteration space.
using IndexMap = Index;

struct IterationSpace {
  Index sizes;
  std::vector<bool> reduced;  // by dimension; empty if no compute node reduces or scans
  bool scanned = false;       // `reduced` is swept in order, and every step is kept
  Index index;                // the loop indices; constant 0 for dimensions of size 1
  Expr row;                   // row-major number of the kept index

  bool reduces() const { return !reduced.empty() && !scanned; }
  // Without the reduced dimensions.
  Index kept_sizes() const;
  Index kept_index() const;
};

// The space of one compute node.  If it reduces, adjacent dimensions that are both reduced, or both
// kept, are merged.
IterationSpace iteration_space_of(const ComputeNode& compute_node);
bool same_space(const IterationSpace& a, const IterationSpace& b);

// The map from the space to a tensor of sizes `sizes`, with one element for each index in row-major
// order, or one for each kept index.  None if the number of elements matches neither.
std::optional<IndexMap> index_map_to(const IterationSpace& space, const Index& sizes);
// The same, for `sizes` with one element for each kept index, whatever the order of the kept
// dimensions.
IndexMap row_index_map(const IterationSpace& space, const Index& sizes);
// `e` with the space's indices replaced by `values`.
Expr with_index(Expr e, const IterationSpace& space, const Index& values);
Index with_index(Index index, const IterationSpace& space, const Index& values);
// Whether `sizes` has one element for each kept index, but not for each index.
bool is_row(const IterationSpace& space, const Index& sizes);

}  // namespace vitro::backend
