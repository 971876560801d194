// What the guards of a path hold symbols to: a number, or an expression of other symbols.
//   s0 == s1, s1 - 1 == 2    s0 and s1 are 3 wherever they stand
//   s0 <= 1, of a size       s0 is 1
#pragma once

#include <optional>
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
  // Whether the guard gives a symbol its value.
  bool solve(const sym::Guard& guard);
  // By what is 0, or not negative.
  bool put_in(sym::Expr e, std::optional<sym::Expr> (*value_of)(sym::Expr e, sym::Expr symbol));
  std::vector<std::pair<sym::Expr, sym::Expr>> values_;  // which name none of these symbols
};

}  // namespace vitro::capture
