// Simplifying constructors of expressions: sums and products in normal form, min and max, floordiv
// and mod (by divide.cpp).
#include "vitro/sym/expr.h"

#include <algorithm>

#include "sym/node.h"
#include "sym/poly.h"
#include "sym/recent.h"
#include "vitro/base/error.h"

namespace vitro::sym {
namespace {

// If a product would have more terms, its longer factor is kept as an atom.
constexpr size_t most_terms = 128;

// Whether all terms of `part` are terms of `p`, with equal coefficients.
bool has_terms(const Poly& p, const Poly& part) {
  return std::all_of(part.begin(), part.end(), [&](const Term& wanted) {
    return std::any_of(p.begin(), p.end(), [&](const Term& term) {
      return term.coefficient == wanted.coefficient && order(term.atoms, wanted.atoms) == 0;
    });
  });
}

// The first mod() among the factors of the term, if there is one.
Expr remainder_in(const Term& term) {
  for (const Expr e : term.atoms) {
    if (e.node()->kind == Kind::mod) return e;
  }
  return {};
}

// Replaces the terms `parts` of p by `by`, if p has all of them.
bool replace(Poly& p, const Poly& parts, const Poly& by) {
  if (!has_terms(p, parts)) return false;
  p = add(add(p, parts, -1), by);
  return true;
}

// b*floordiv(a, b) + mod(a, b) == a, times the other factors of the term.
bool join_quotient(Poly& p, const Term& term, Expr remainder) {
  const Expr a = remainder.node()->operands[0], b = remainder.node()->operands[1];
  const Term around{term.coefficient, *divide(term.atoms, Monomial{remainder})};
  const Poly multiple = multiply(poly_of(b * floordiv(a, b)), around);
  return !multiple.empty() && replace(p, add(multiple, {term}), multiply(poly_of(a), around));
}

// b*mod(floordiv(a, b), c) + mod(a, b) == mod(a, b*c)  for positive b and c.
bool join_remainders(Poly& p, const Term& term, Expr remainder) {
  const Expr a = remainder.node()->operands[0], b = remainder.node()->operands[1];
  if (range_of(b).low <= 0) return false;
  const Expr quotient = floordiv(a, b);
  for (const Term& other : p) {
    const Expr upper = remainder_in(other);
    if (!upper.defined() || upper.node()->operands[0] != quotient) continue;
    const Expr c = upper.node()->operands[1];
    if (range_of(c).low <= 0) continue;
    const Term around{term.coefficient, *divide(term.atoms, Monomial{remainder})};
    const Poly parts = add(multiply(poly_of(b * upper), around), {term});
    if (replace(p, parts, multiply(poly_of(mod(a, b * c)), around))) return true;
  }
  return false;
}

bool join_one(Poly& p) {
  for (const Term& term : Poly(p)) {
    const Expr remainder = remainder_in(term);
    if (!remainder.defined()) continue;
    if (join_quotient(p, term, remainder) || join_remainders(p, term, remainder)) return true;
  }
  return false;
}

Expr normal_sum(Poly p) {
  try {
    while (p.size() > 1 && join_one(p)) {
    }
  } catch (const Overflow&) {  // p is correct after every step
  }
  return expr_of(p);
}

Expr multiplied_out(Expr a, Expr b) {
  Poly x = poly_of(a), y = poly_of(b);
  if (x.size() < y.size()) std::swap(a, b), std::swap(x, y);
  if (y.size() > 1 && x.size() * y.size() > most_terms) x = Poly{{1, {a}}};
  return normal_sum(multiply(x, y));
}

bool both_constant(Expr a, Expr b) {
  return a.node()->kind == Kind::constant && b.node()->kind == Kind::constant;
}

Expr min_or_max(Kind kind, Expr a, Expr b) {
  if (const auto less = prove_less(a, b)) return *less == (kind == Kind::min) ? a : b;
  if (prove_less(b, a) == false) return kind == Kind::min ? a : b;
  if (compare(a, b) > 0) std::swap(a, b);
  return atom(kind, a, b);
}

}  // namespace

std::optional<int64_t> Expr::constant() const {
  if (!node_ || node_->kind != Kind::constant) return std::nullopt;
  return node_->number;
}

bool Expr::is_symbol() const {
  return node_ && (node_->kind == Kind::symbol || node_->kind == Kind::index);
}

Expr operator+(Expr a, Expr b) {
  if (both_constant(a, b)) return checked_add(a.node()->number, b.node()->number);
  if (a.is(0)) return b;
  if (b.is(0)) return a;
  Recent* known = recent();
  if (const Expr* sum = known ? known->sums.find(a, b) : nullptr) return *sum;
  const Expr sum = normal_sum(add(poly_of(a), poly_of(b)));
  return known ? known->sums.put(a, b, sum) : sum;
}

Expr operator-(Expr a, Expr b) {
  if (a == b) return 0;
  if (b.is(0)) return a;
  return a + Expr(-1) * b;
}

Expr operator-(Expr a) {
  return Expr(-1) * a;
}

Expr operator*(Expr a, Expr b) {
  if (both_constant(a, b)) return checked_multiply(a.node()->number, b.node()->number);
  if (a.is(0) || b.is(1)) return a;
  if (b.is(0) || a.is(1)) return b;
  Recent* known = recent();
  if (const Expr* found = known ? known->products.find(a, b) : nullptr) return *found;
  const Expr multiplied = multiplied_out(a, b);
  return known ? known->products.put(a, b, multiplied) : multiplied;
}

Expr floordiv(Expr a, Expr b) {
  return divide(a, b).quotient;
}

Expr mod(Expr a, Expr b) {
  return divide(a, b).remainder;
}

Expr min(Expr a, Expr b) {
  return min_or_max(Kind::min, a, b);
}

Expr max(Expr a, Expr b) {
  return min_or_max(Kind::max, a, b);
}

Expr product(std::span<const Expr> factors) {
  Expr p = 1;
  for (const Expr factor : factors) p = p * factor;
  return p;
}

Range range_of(Expr e) {
  return e.node()->range;
}

Kind kind_of(Expr e) {
  return e.node()->kind;
}

std::string_view name_of(Expr symbol) {
  VITRO_ASSERT(symbol.is_symbol(), symbol.text(), " has no name");
  return symbol.node()->name;
}

Expr extent_of(Expr index) {
  VITRO_ASSERT(kind_of(index) == Kind::index, index.text(), " is not an index");
  return index.node()->operands[0];
}

std::vector<Expr> operands_of(Expr e) {
  return kind_of(e) == Kind::index ? std::vector<Expr>{} : e.node()->operands;
}

}  // namespace vitro::sym
