// Expressions as polynomials: a sum of coefficient * product of atoms.  All arithmetic on sums and
// products goes through this form.
//   3*s0*i + 4   is   {3, [s0, i]}, {4, []}
// Arithmetic throws Overflow if a coefficient does not fit into 64 bits.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "vitro/base/small_vector.h"
#include "vitro/sym/expr.h"

namespace vitro::sym {

// Sorted by compare(); a power repeats its atom.
using Monomial = SmallVector<Expr, 4>;

struct Term {
  int64_t coefficient = 0;  // never 0 inside a Poly
  Monomial atoms;
};

// In graded lexicographic order (higher degree first, then by atoms), so the constant comes last.
// Monomials are unique.
using Poly = std::vector<Term>;

Poly poly_of(Expr e);
Expr expr_of(const Poly& p);  // p must be sorted
Expr expr_of(const Term& term);
// The graded lexicographic order: negative, zero or positive.
int order(const Monomial& a, const Monomial& b);

Poly add(const Poly& a, const Poly& b, int64_t b_scale = 1);  // a + b_scale * b
Poly multiply(const Poly& a, const Term& b);
Poly multiply(const Poly& a, const Poly& b);

Monomial multiply(const Monomial& a, const Monomial& b);
// a / b, if b divides a.
std::optional<Monomial> divide(const Monomial& a, const Monomial& b);
// The largest monomial that divides both.
Monomial common(const Monomial& a, const Monomial& b);
bool contains(const Monomial& m, Expr atom);

int64_t checked_add(int64_t a, int64_t b);
int64_t checked_multiply(int64_t a, int64_t b);

}  // namespace vitro::sym
