// The node that an Expr points to, and how to make one without simplification (intern, atom); the
// operators of expr.h simplify.  Thread safety: nodes are immutable once interned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/sym/expr.h"

namespace vitro::sym {

struct Node {
  Kind kind = Kind::constant;
  int64_t number = 0;          // constant
  std::string name;            // symbol, index
  std::vector<Expr> operands;  // as operands_of() returns them; of an index, its extent
  Range range;                 // derived from the other members, except for symbols
  size_t hash = 0;             // set by intern()
  bool data = false;           // contains a data size; set by intern()
  uint32_t written = 1;        // size as a tree, counting shared nodes each time; set by intern()
  bool operator==(const Node& o) const {
    return kind == o.kind && number == o.number && name == o.name && operands == o.operands;
  }
};

struct Builder {
  static Expr wrap(const Node* node) { return Expr(node); }
};

// The unique node that equals this one; equal nodes must have equal ranges.
Expr intern(Node node);
// min, max, floordiv or mod of a and b without simplification; computes the range.
Expr atom(Kind kind, Expr a, Expr b);

// Structural order for sorting terms and factors, the same in every run.  Numbers in names compare
// by value (s2 before s10).  Negative, zero or positive.
int compare(Expr a, Expr b);
int compare_names(std::string_view a, std::string_view b);

// The quotient rounded down, and the remainder with the sign of the divisor.
int64_t floor_quotient(int64_t a, int64_t b);
int64_t floor_remainder(int64_t a, int64_t b);

// Quotient and remainder of a division, memoized.
struct Divided {
  Expr quotient, remainder;
};
Divided divide(Expr a, Expr b);

// True if e >= 0 is proven for all values of its symbols; false means unknown.
bool non_negative(Expr e);
// The same with a limited number of steps, for recursive calls within a proof.
bool non_negative(Expr e, int steps);

}  // namespace vitro::sym
