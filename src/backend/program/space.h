// The index space that the items of a group share, and where in it an item's elements lie.
#pragma once

#include <optional>
#include <vector>

#include "backend/program/program.h"

namespace vitro::backend {

struct Space {
  Index sizes;
  std::vector<bool> reduced;  // of each dimension; empty where no item reduces or scans
  bool scanned = false;       // `reduced` is walked in order, every step counts
  Index index;                // the loop indices; the constant 0 where the size is 1
  Expr row;                   // number of the kept index, in row-major order of the shape

  bool reduces() const { return !reduced.empty() && !scanned; }
  // Without the reduced dimensions.
  Index kept_sizes() const;
  Index kept_index() const;
};

// The space of one item.  Where it reduces, neighbouring dimensions that are both reduced, or both
// kept, are one.
Space space_of(const Item& item);
bool same_space(const Space& a, const Space& b);

// The index, within sizes `sizes`, of the element that belongs to the space's index: all elements
// in row-major order, or one for each kept index.  Empty where there are neither as many elements
// as the space has nor as it keeps.
std::optional<Index> place_in(const Space& space, const Index& sizes);
// The same where `sizes` has one element for each kept index, in whatever order these are kept.
Index place_of_row(const Space& space, const Index& sizes);
// `e` with the space's indices exchanged for `values`.
Expr with_index(Expr e, const Space& space, const Index& values);
Index with_index(Index index, const Space& space, const Index& values);
// Whether `sizes` has one element for each kept index, not one for each index.
bool is_row(const Space& space, const Index& sizes);

}  // namespace vitro::backend
