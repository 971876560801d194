// What the guards of a path hold symbols to: a number, or an expression of other symbols.
//   s0 == s1, s1 - 1 == 2    s0 and s1 are 3 wherever they stand
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "vitro/sym/size.h"

namespace vitro::capture {

class Held {
 public:
  explicit Held(std::span<const sym::Guard> guards);
  bool empty() const { return values_.empty(); }
  // `e` with the values put in.
  sym::Expr operator()(sym::Expr e) const { return sym::substitute(e, values_); }

 private:
  bool solve(const sym::Guard& equal);
  std::vector<std::pair<sym::Expr, sym::Expr>> values_;  // which name none of these symbols
};

}  // namespace vitro::capture
