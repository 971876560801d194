// The iteration space that the compute nodes of a group share, and the index maps from it to the
// elements of a compute node.
#pragma once

#include <optional>
#include <vector>

#include "backend/program/program.h"

namespace vitro::backend {

// An index of an element, each of its components in terms of the indices of an iteration space.
using IndexMap = Index;

struct IterationSpace {
  Index sizes;
  std::vector<bool> reduced;  // of each dimension; empty where no compute node reduces or scans
  bool scanned = false;       // `reduced` is swept in order, every step counts
  Index index;                // the loop indices; the constant 0 where the size is 1
  Expr row;                   // number of the kept index, in row-major order of the shape

  bool reduces() const { return !reduced.empty() && !scanned; }
  // Without the reduced dimensions.
  Index kept_sizes() const;
  Index kept_index() const;
};

// The space of one compute node.  Where it reduces, neighbouring dimensions that are both reduced,
// or both kept, are one.
IterationSpace iteration_space_of(const ComputeNode& compute_node);
bool same_space(const IterationSpace& a, const IterationSpace& b);

// The map from the space to a tensor of sizes `sizes`: to all elements in row-major order, or to
// one for each kept index.  Empty if there are neither as many elements as the space has nor as it
// keeps.
std::optional<IndexMap> index_map_to(const IterationSpace& space, const Index& sizes);
// The same where `sizes` has one element for each kept index, in whatever order these are kept.
IndexMap row_index_map(const IterationSpace& space, const Index& sizes);
// `e` with the space's indices exchanged for `values`.
Expr with_index(Expr e, const IterationSpace& space, const Index& values);
Index with_index(Index index, const IterationSpace& space, const Index& values);
// Whether `sizes` has one element for each kept index, not one for each index.
bool is_row(const IterationSpace& space, const Index& sizes);

}  // namespace vitro::backend
