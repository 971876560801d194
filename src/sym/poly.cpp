// Conversion between expressions and polynomials, and arithmetic on these; expr.cpp, divide.cpp and
// prove.cpp use it.
#include "sym/poly.h"

#include <algorithm>

#include "sym/node.h"
#include "sym/range.h"
#include "vitro/base/called_as.h"

namespace vitro::sym {
namespace {

Term term_of(Expr e) {
  const Node& node = *e.node();
  if (node.kind == Kind::constant) return {node.number, {}};
  if (node.kind != Kind::product) return {1, {e}};
  Term term{1, {}};
  for (const Expr factor : node.operands) {
    if (factor.node()->kind == Kind::constant) {
      term.coefficient = factor.node()->number;
    } else {
      term.atoms.push_back(factor);
    }
  }
  return term;
}

Expr intern_product(const Term& term) {
  Node node;
  node.kind = Kind::product;
  node.range = {term.coefficient, term.coefficient};
  if (term.coefficient != 1) node.operands.push_back(term.coefficient);
  for (const Expr factor : term.atoms) {
    node.operands.push_back(factor);
    node.range = node.range * factor.node()->range;
  }
  return intern(std::move(node));
}

// Names the function that the program called, if there is one.
[[noreturn]] void refuse(int64_t a, char sign, int64_t b) {
  const Called& called = CalledAs::current();
  std::string text = cat("size: ", a, ' ', sign, ' ', b, " does not fit into 64 bits");
  if (called.name.empty()) throw Overflow(std::move(text));
  text = cat(called.name, called.in_place ? "_: " : ": ", text);
  std::string location = call_location(called.from);
  if (location.empty()) throw Overflow(std::move(text));
  throw Overflow(Error(std::move(text)), std::move(location));
}

}  // namespace

int64_t checked_add(int64_t a, int64_t b) {
  int64_t r = 0;
  if (__builtin_add_overflow(a, b, &r)) refuse(a, '+', b);
  return r;
}

int64_t checked_multiply(int64_t a, int64_t b) {
  int64_t r = 0;
  if (__builtin_mul_overflow(a, b, &r)) refuse(a, '*', b);
  return r;
}

int order(const Monomial& a, const Monomial& b) {
  if (a.size() != b.size()) return a.size() > b.size() ? -1 : 1;
  for (size_t i = 0; i < a.size(); ++i) {
    if (const int c = compare(a[i], b[i])) return c;
  }
  return 0;
}

Poly poly_of(Expr e) {
  const Node& node = *e.node();
  if (node.kind == Kind::constant && node.number == 0) return {};
  if (node.kind != Kind::sum) return {term_of(e)};
  Poly p;
  p.reserve(node.operands.size());
  for (const Expr term : node.operands) p.push_back(term_of(term));
  return p;
}

Expr expr_of(const Term& term) {
  if (term.atoms.empty() || term.coefficient == 0) return term.coefficient;
  if (term.atoms.size() == 1 && term.coefficient == 1) return term.atoms[0];
  return intern_product(term);
}

Expr expr_of(const Poly& p) {
  if (p.empty()) return 0;
  if (p.size() == 1) return expr_of(p[0]);
  Node node;
  node.kind = Kind::sum;
  node.range = {0, 0};
  node.operands.reserve(p.size());
  for (const Term& term : p) {
    node.operands.push_back(expr_of(term));
    node.range = node.range + node.operands.back().node()->range;
  }
  return intern(std::move(node));
}

Poly add(const Poly& a, const Poly& b, int64_t b_scale) {
  Poly sum;
  sum.reserve(a.size() + b.size());
  size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    const int which = i == a.size() ? 1 : j == b.size() ? -1 : order(a[i].atoms, b[j].atoms);
    if (which < 0) {
      sum.push_back(a[i++]);
      continue;
    }
    Term term = b[j++];
    term.coefficient = checked_multiply(term.coefficient, b_scale);
    if (which == 0) term.coefficient = checked_add(a[i++].coefficient, term.coefficient);
    if (term.coefficient != 0) sum.push_back(std::move(term));
  }
  return sum;
}

Monomial multiply(const Monomial& a, const Monomial& b) {
  Monomial both;
  both.resize(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), both.begin(),
             [](Expr x, Expr y) { return compare(x, y) < 0; });
  return both;
}

// Multiplication by a term preserves the order, so the result is sorted.
Poly multiply(const Poly& a, const Term& b) {
  Poly p;
  if (b.coefficient == 0) return p;
  p.reserve(a.size());
  for (const Term& term : a) {
    p.push_back({checked_multiply(term.coefficient, b.coefficient), multiply(term.atoms, b.atoms)});
  }
  return p;
}

Poly multiply(const Poly& a, const Poly& b) {
  if (b.size() == 1) return multiply(a, b[0]);
  Poly p;
  for (const Term& term : b) p = add(p, multiply(a, term));
  return p;
}

std::optional<Monomial> divide(const Monomial& a, const Monomial& b) {
  Monomial rest;
  size_t j = 0;
  for (const Expr factor : a) {
    if (j < b.size() && factor == b[j]) {
      ++j;
    } else {
      rest.push_back(factor);
    }
  }
  if (j < b.size()) return std::nullopt;
  return rest;
}

Monomial common(const Monomial& a, const Monomial& b) {
  Monomial both;
  size_t j = 0;
  for (const Expr factor : a) {
    while (j < b.size() && compare(b[j], factor) < 0) ++j;
    if (j < b.size() && b[j] == factor) both.push_back(b[j++]);
  }
  return both;
}

bool contains(const Monomial& m, Expr atom) {
  return std::find(m.begin(), m.end(), atom) != m.end();
}

}  // namespace vitro::sym
