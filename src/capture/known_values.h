// Symbols whose value the guards of a path determine: a number, or an expression of other symbols.
//   s0 == s1, s1 - 1 == 2      s0 and s1 are 3 everywhere
//   1 >= s0, s1 >= s0 * s1     s0, which is 1 or more, is 1
//   s0 >= s1, s1 >= s0         s1 is s0
//   s0 != 1, 3 > s0            s0 is 2
#pragma once

#include <span>
#include <unordered_map>
#include <unordered_set>

#include "vitro/sym/size.h"

namespace vitro::capture {

class KnownValues {
 public:
  explicit KnownValues(std::span<const sym::Guard> guards);
  bool empty() const { return values_.empty(); }
  // `e` with the values substituted.
  sym::Expr operator()(sym::Expr e) const;

 private:
  // Solves a == b; returns whether a symbol got a value.
  bool solve(sym::Expr a, sym::Expr b);
  bool solve_bounds(std::span<const sym::Guard> guards);
  void put_in(sym::Expr symbol, sym::Expr value);
  std::unordered_map<sym::Expr, sym::Expr> values_;  // no value contains a key
  // For each symbol, the keys whose values contain it.
  std::unordered_map<sym::Expr, std::unordered_set<sym::Expr>> named_by_;
};

}  // namespace vitro::capture
