// The ranges of sums that guards imply.
//   6 >= 4 * s0             s0 is at most 1
//   s0 > s1, s0 < s1 + 2    s0 - s1 is 1
//   s0 != 1, of a size      s0 is at least 2
#pragma once

#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "vitro/sym/size.h"

namespace vitro::capture {

class Bounds {
 public:
  // A sum without a constant; its coefficients have no common factor, and the first is positive.
  struct Bound {
    sym::Expr sum;
    sym::Range range;
  };

  explicit Bounds(std::span<const sym::Guard> guards);
  // In the order of the guards.
  std::span<const Bound> all() const { return all_; }
  sym::Range range_of(sym::Expr symbol) const;
  // Whether the bound forces `symbol` to its minimum: any larger value puts the sum out of range.
  bool holds_to_least(const Bound& bound, sym::Expr symbol) const;

 private:
  void add(const sym::Guard& guard);
  void add_not_negative(sym::Expr e);
  void add_not_zero(sym::Expr e);
  void cut_ends();
  // The index of `sum` in `all_`.
  size_t place_of(sym::Expr sum);
  bool is_negative_above_least(sym::Expr e, sym::Expr symbol) const;

  std::vector<Bound> all_;
  std::unordered_map<sym::Expr, size_t> places_;
  std::vector<std::pair<size_t, int64_t>> holes_;  // values that sums cannot have
};

}  // namespace vitro::capture
