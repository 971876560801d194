// Proofs of inequalities from ranges: prove_less, prove_equal and non_negative, on which the
// simplification of floordiv, mod, min and max relies.
#include <algorithm>
#include <numeric>

#include "sym/node.h"
#include "sym/poly.h"
#include "sym/range.h"
#include "sym/recent.h"
#include "sym/sample.h"

namespace vitro::sym {
namespace {

constexpr int most_steps = 12;
// Limit for expanding a monomial: each factor may double the number of terms.
constexpr size_t most_terms = 256;

// The term with every atom a replaced by a' + low(a), where a' >= 0, and expanded.  The atoms of
// the result stand for the a'.  Empty if an atom has no lower bound, or there would be too many
// terms.
std::optional<Poly> shifted(const Term& term) {
  Poly p{{term.coefficient, {}}};
  for (const Expr a : term.atoms) {
    const Range range = range_of(a);
    if (range.low == -unbounded || p.size() > most_terms) return std::nullopt;
    const Poly moved = multiply(p, Term{1, {a}});
    p = range.low == range.high ? multiply(p, Term{range.low, {}})
                                : add(moved, multiply(p, Term{range.low, {}}));
  }
  return p;
}

Range range_of_terms(const Poly& p, Range (*range_of_atom)(Expr)) {
  Range total{0, 0};
  for (const Term& term : p) {
    Range range{term.coefficient, term.coefficient};
    for (const Expr a : term.atoms) range = range * range_of_atom(a);
    total = total + range;
  }
  return total;
}

Range range_of_shifted(Expr a) {
  const Range r = range_of(a);
  return {0, r.high == unbounded ? unbounded : r.high - r.low};
}

// Interval arithmetic that finds that s0*s1 - s0 is not negative: with s0 = a + 2 and s1 = b + 2
// all coefficients of the sum in a and b are positive.
Range range_of_sum(const Poly& p) {
  const auto varying =
      std::ranges::count_if(p, [](const Term& term) { return !term.atoms.empty(); });
  if (varying < 2) return range_of_terms(p, range_of);
  Poly moved;
  for (const Term& term : p) {
    const auto part = shifted(term);
    if (!part) return {};
    moved = add(moved, *part);
  }
  return range_of_terms(moved, range_of_shifted);
}

// Removes the positive factors that all terms share, and returns them.
Monomial take_shared_factors(Poly& p) {
  Monomial shared;
  if (p.size() < 2) return shared;
  for (const Expr a : p[0].atoms) {
    if (range_of(a).low > 0) shared.push_back(a);
  }
  for (size_t i = 1; i < p.size() && !shared.empty(); ++i) shared = common(shared, p[i].atoms);
  if (shared.empty()) return shared;
  for (Term& term : p) term.atoms = *divide(term.atoms, shared);
  return shared;
}

// Dividing by positive factors does not change the sign.
Expr without_shared_factors(Expr e) {
  if (kind_of(e) != Kind::sum) return e;
  Poly p = poly_of(e);
  return take_shared_factors(p).empty() ? e : expr_of(p);
}

// Shared factors are not expanded: the minimum of s0*s1*s2 - s0*s1 - 1 is at least the minimum of
// s0*s1 times that of s2 - 1, minus 1.
bool non_negative_by_range(Expr e) {
  if (range_of(e).low >= 0) return true;
  if (range_of(e).high < 0) return false;
  Poly p = poly_of(e);
  Range constant{0, 0};
  if (!p.empty() && p.back().atoms.empty()) {
    constant = {p.back().coefficient, p.back().coefficient};
    p.pop_back();
  }
  const Monomial shared = take_shared_factors(p);
  Range range = range_of_sum(p);
  for (const Expr a : shared) range = range * range_of(a);
  return (range + constant).low >= 0;
}

// e with the atom replaced by `value`, if e == coefficient*atom + rest.
Expr with(const Linear& parts, Expr value) {
  return parts.coefficient * value + parts.rest;
}

// e >= 0 if and only if b*e + b-1 >= 0, in which b*floordiv(a, b) is a - mod(a, b).
bool through_quotient(const Linear& parts, const Node& quotient, int steps) {
  const Expr a = quotient.operands[0], b = quotient.operands[1];
  if (range_of(b).low <= 0) return false;
  const Expr multiple = parts.coefficient * (a - atom(Kind::mod, a, b)) + parts.rest * b;
  return non_negative(multiple + b - 1, steps);
}

bool through_either(const Linear& parts, const Node& choice, int steps) {
  const bool falls = non_negative_by_range(-parts.coefficient);
  const bool rises = non_negative_by_range(parts.coefficient);
  const bool one_is_enough = choice.kind == Kind::min ? falls : rises;
  const bool first = non_negative(with(parts, choice.operands[0]), steps / 2);
  if (first == one_is_enough) return first;
  return non_negative(with(parts, choice.operands[1]), steps / 2);
}

// Replaces the atom by the end of its range that minimizes e; the end may be symbolic.
bool through_end(const Linear& parts, Expr e, int steps) {
  if (non_negative_by_range(parts.coefficient)) return non_negative(with(parts, 0), steps);
  if (!non_negative_by_range(-parts.coefficient)) return false;
  const Node& node = *e.node();
  const Expr extent = node.kind == Kind::index ? node.operands[0] : node.operands[1];
  return non_negative(with(parts, extent - 1), steps);
}

bool through_atom(Expr e, Expr a, int steps) {
  const auto parts = as_linear(e, a);
  if (!parts) return false;
  switch (kind_of(a)) {
    case Kind::index:
      return through_end(*parts, a, steps);
    case Kind::mod:
      return range_of(a.node()->operands[1]).low > 0 && through_end(*parts, a, steps);
    case Kind::floordiv:
      return through_quotient(*parts, *a.node(), steps);
    case Kind::min:
    case Kind::max:
      return through_either(*parts, *a.node(), steps);
    case Kind::constant:
    case Kind::symbol:
    case Kind::sum:
    case Kind::product:
      break;
  }
  return false;
}

// The atoms of the sum other than symbols: quotients first, because their operands may then cancel;
// mod and indices, which are replaced by an end of their range, last.
std::vector<Expr> atoms_to_replace(Expr e) {
  std::vector<Expr> found;
  for (const Term& term : poly_of(e)) {
    for (const Expr a : term.atoms) {
      if (kind_of(a) != Kind::symbol && std::find(found.begin(), found.end(), a) == found.end()) {
        found.push_back(a);
      }
    }
  }
  const auto rank = [](Expr a) {
    const Kind kind = kind_of(a);
    return kind == Kind::floordiv ? 0 : kind == Kind::mod || kind == Kind::index ? 2 : 1;
  };
  std::stable_sort(found.begin(), found.end(), [&](Expr a, Expr b) { return rank(a) < rank(b); });
  return found;
}

// The sum with each mod(a, b) replaced by a - b*floordiv(a, b): equal sums that differ only in
// their tiling become identical.
Expr without_remainders(Expr e) {
  for (int step = 0; step < most_steps; ++step) {
    const std::vector<Expr> atoms = atoms_to_replace(e);
    const auto at = std::find_if(atoms.begin(), atoms.end(), [&](Expr a) {
      return kind_of(a) == Kind::mod && as_linear(e, a).has_value();
    });
    if (at == atoms.end()) break;
    const Expr a = at->node()->operands[0], b = at->node()->operands[1];
    e = with(*as_linear(e, *at), a - b * floordiv(a, b));
  }
  return e;
}

// For example, 4*s0 + 2 is not 0 modulo the greatest common divisor of its coefficients.
bool never_zero(Expr difference) {
  int64_t shared = 0, constant = 0;
  for (const Term& term : poly_of(difference)) {
    if (term.atoms.empty()) {
      constant = term.coefficient;
    } else {
      shared = std::gcd(shared, term.coefficient);
    }
  }
  if (shared > 1 && constant % shared != 0) return true;
  return non_negative(difference - 1) || non_negative(-difference - 1);
}

bool non_negative_by_replacing(Expr e, int steps) {
  const std::vector<Expr> atoms = atoms_to_replace(e);
  int tries = 2;  // more tries cost time and have not proven more
  for (const Expr a : atoms) {
    if (tries-- == 0) break;
    if (through_atom(e, a, steps - 1)) return true;
  }
  return false;
}

}  // namespace

bool non_negative(Expr e, int steps) {
  e = without_shared_factors(e);
  if (range_of(e).low >= 0) return true;
  if (range_of(e).high < 0 || somewhere_negative(e)) return false;
  return non_negative_by_range(e) || (steps > 0 && non_negative_by_replacing(e, steps));
}

bool non_negative(Expr e) {
  if (range_of(e).low >= 0) return true;
  if (range_of(e).high < 0) return false;
  Recent* known = recent();
  if (const bool* found = known ? known->proofs.find(e, {}) : nullptr) return *found;
  bool proven = false;
  try {
    proven = non_negative(e, most_steps);
  } catch (const Overflow&) {
    proven = false;
  }
  return known ? known->proofs.put(e, {}, proven) : proven;
}

std::optional<bool> prove_less(Expr a, Expr b) {
  if (a == b) return false;
  try {
    const Expr gap = b - a;
    if (non_negative(gap - 1)) return true;
    if (non_negative(-gap)) return false;
  } catch (const Overflow&) {
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<bool> prove_equal(Expr a, Expr b) {
  if (a == b) return true;
  try {
    const Expr gap = a - b;
    if (const auto number = gap.constant()) return *number == 0;
    if (never_zero(gap)) return false;
    if (without_remainders(gap).is(0)) return true;
  } catch (const Overflow&) {
    return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace vitro::sym
