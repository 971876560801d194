// What an Expr points to, and the two ways to make one: by value (intern) and by the rules
// (expr.h). Thread safety: nodes never change once they are interned.
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
  std::vector<Expr> operands;  // as operands_of() says; of an index: its extent
  Range range;                 // follows from the rest
  size_t hash = 0;             // set by intern()
  bool data = false;           // names a size that data decide; set by intern()
  uint32_t written = 1;        // nodes of it written out, shared ones each time; set by intern()
  bool operator==(const Node& o) const {
    return kind == o.kind && number == o.number && name == o.name && operands == o.operands;
  }
};

struct Builder {
  static Expr wrap(const Node* node) { return Expr(node); }
};

// The one node that equals this one; the range given must be the range of every equal node.
Expr intern(Node node);
// min, max, floordiv or mod as it stands, not simplified; its range is worked out here.
Expr atom(Kind kind, Expr a, Expr b);

// Structural order, the same in every run: used to sort terms and factors.  Names compare as people
// count (s2 before s10).  Negative, zero or positive.
int compare(Expr a, Expr b);
int compare_names(std::string_view a, std::string_view b);

// The quotient that rounds down, and the remainder with the sign of the divisor.
int64_t floor_quotient(int64_t a, int64_t b);
int64_t floor_remainder(int64_t a, int64_t b);

// Of both halves of a division, from the table of those already worked out.
struct Divided {
  Expr quotient, remainder;
};
Divided divide(Expr a, Expr b);

// True when e >= 0 is proven for every value of its symbols; false says nothing.
bool non_negative(Expr e);
// The same within a number of steps, for callers that are themselves part of a proof.
bool non_negative(Expr e, int steps);

}  // namespace vitro::sym
