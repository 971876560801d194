// floordiv and mod, computed together so that b*floordiv(a, b) + mod(a, b) is always a.
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "sym/node.h"
#include "sym/poly.h"

namespace vitro::sym {
namespace {

constexpr std::optional<Divided> nothing{};

// The coefficient of the quotient of two terms: rounds towards zero, so that small terms remain
// unchanged, except for constants, whose remainder is between 0 and the divisor.
int64_t taken(const Term& term, const Term& lead) {
  if (term.atoms.empty() && lead.atoms.empty() && lead.coefficient > 0) {
    return floor_quotient(term.coefficient, lead.coefficient);
  }
  if (lead.coefficient == -1) return checked_multiply(term.coefficient, -1);
  return term.coefficient / lead.coefficient;
}

// Polynomial long division, a == quotient * b + remainder: the leading term of b divides no term of
// the remainder.
Divided long_division(Expr a, Expr b) {
  const Poly divisor = poly_of(b);
  Poly rest = poly_of(a), quotient;
  for (size_t i = 0; i < rest.size();) {  // a step does not change the terms before i
    const auto atoms = divide(rest[i].atoms, divisor[0].atoms);
    const int64_t coefficient = atoms ? taken(rest[i], divisor[0]) : 0;
    if (coefficient == 0) {
      ++i;
      continue;
    }
    const Term step{coefficient, *atoms};
    quotient = add(quotient, {step});
    rest = add(rest, multiply(divisor, step), -1);
  }
  // + 0 runs the simplification of sums.
  return {expr_of(quotient) + 0, expr_of(rest) + 0};
}

bool within(Expr r, Expr b) {
  return non_negative(r) && non_negative(b - r - 1);
}

// floordiv(floordiv(x, c) + k, b) == floordiv(x + k*c, c*b)
Expr quotient_of_quotient(Expr r, Expr b) {
  Poly p = poly_of(r);
  int64_t k = 0;
  if (!p.empty() && p.back().atoms.empty()) {
    k = p.back().coefficient;
    p.pop_back();
  }
  if (p.size() != 1 || p[0].coefficient != 1 || p[0].atoms.size() != 1) return {};
  const Node& inner = *p[0].atoms[0].node();
  if (inner.kind != Kind::floordiv || range_of(inner.operands[1]).low <= 0) return {};
  return floordiv(inner.operands[0] + inner.operands[1] * k, inner.operands[1] * b);
}

// floordiv(mod(y, m), b) == mod(floordiv(y, b), m / b)  if b divides m
Expr quotient_of_remainder(Expr r, Expr b) {
  const Node& inner = *r.node();
  if (inner.kind != Kind::mod || range_of(inner.operands[1]).low <= 0) return {};
  const Divided parts = long_division(inner.operands[1], b);
  if (!parts.remainder.is(0) || !non_negative(parts.quotient - 1)) return {};
  return mod(floordiv(inner.operands[0], b), parts.quotient);
}

bool is_bounded(Expr e) {
  const Range range = range_of(e);
  return range.low > -unbounded && range.high < unbounded;
}

// mod(k*mod(y, m), b) == mod(k*y, b) if b divides k*m.  Applied only if the new sum is bounded, or
// y itself: k*y might overflow where k*mod(y, m) does not.
Expr without_inner_remainders(Expr r, Expr b) {
  for (const Term& term : poly_of(r)) {
    for (const Expr factor : term.atoms) {
      if (factor.node()->kind != Kind::mod) continue;
      const std::vector<Expr>& inner = factor.node()->operands;
      const Expr around = expr_of(Term{term.coefficient, *divide(term.atoms, Monomial{factor})});
      if (!long_division(around * inner[1], b).remainder.is(0)) continue;
      const Expr plain = r - around * factor + around * inner[0];
      if (plain == inner[0] || is_bounded(plain)) return plain;
    }
  }
  return r;
}

// Candidates for cancelling from numerator and divisor, largest first.
std::vector<Expr> common_factors(Expr r, Expr b) {
  std::vector<Expr> found;
  if (const auto c = b.constant()) {
    std::map<int64_t, bool, std::greater<>> sizes;
    for (const Term& term : poly_of(r)) {
      if (!term.atoms.empty()) sizes[std::gcd(term.coefficient, *c)] = true;
    }
    for (const auto& [size, unused] : sizes) {
      if (size > 1) found.emplace_back(size);
    }
    return found;
  }
  const Poly divisor = poly_of(b);
  for (const Expr atom_of_b : divisor[0].atoms) {
    const bool everywhere = std::all_of(divisor.begin(), divisor.end(), [&](const Term& term) {
      return contains(term.atoms, atom_of_b);
    });
    if (everywhere) found.push_back(atom_of_b);
  }
  int64_t shared = 0;
  for (const Term& term : divisor) shared = std::gcd(shared, term.coefficient);
  if (shared > 1) found.emplace_back(shared);
  return found;
}

// r == g*x + s with 0 <= s < g:  floordiv(r, g*c) == floordiv(x, c), mod(r, g*c) == g*mod(x, c) + s
std::optional<Divided> divide_by_factor(Expr r, Expr b) {
  for (const Expr g : common_factors(r, b)) {
    if (!non_negative(g - 1)) continue;
    const Divided numerator = long_division(r, g), divisor = long_division(b, g);
    if (numerator.quotient.is(0) || !divisor.remainder.is(0) || !within(numerator.remainder, g)) {
      continue;
    }
    const Divided inner = divide(numerator.quotient, divisor.quotient);
    return Divided{inner.quotient, g * inner.remainder + numerator.remainder};
  }
  return nothing;
}

// Divides a remainder of long division for which 0 <= r < b is not proven.
Divided divide_rest(Expr r, Expr b) {
  if (!b.constant()) {
    if (within(r + b, b)) return {-1, r + b};
    if (within(r - b, b)) return {1, r - b};
  }
  if (const auto parts = divide_by_factor(r, b)) return *parts;
  const Expr plain = without_inner_remainders(r, b);
  Expr remainder = plain == r ? atom(Kind::mod, r, b) : mod(plain, b);
  Expr quotient = quotient_of_quotient(r, b);
  if (!quotient.defined()) quotient = quotient_of_remainder(r, b);
  if (!quotient.defined()) quotient = atom(Kind::floordiv, r, b);
  return {quotient, remainder};
}

Divided divide_by_positive(Expr a, Expr b) {
  if (within(a, b)) return {0, a};
  const Divided parts = long_division(a, b);
  if (parts.remainder.is(0) || within(parts.remainder, b)) return parts;
  const Divided rest = divide_rest(parts.remainder, b);
  return {parts.quotient + rest.quotient, rest.remainder};
}

Divided divide_any(Expr a, Expr b) {
  if (non_negative(b - 1)) return divide_by_positive(a, b);
  if (non_negative(-b - 1)) {
    const Divided parts = divide_by_positive(-a, -b);
    return {parts.quotient, -parts.remainder};
  }
  const Divided parts = long_division(a, b);
  if (parts.remainder.is(0)) return parts;
  return {parts.quotient + atom(Kind::floordiv, parts.remainder, b),
          atom(Kind::mod, parts.remainder, b)};
}

struct PairHash {
  size_t operator()(const std::pair<Expr, Expr>& p) const {
    return p.first.node()->hash * 31 + p.second.node()->hash;
  }
};

// All divisions computed so far; the result depends only on the two expressions.
struct Memo {
  std::mutex lock;
  std::unordered_map<std::pair<Expr, Expr>, Divided, PairHash> known;
};

Memo& memo() {
  static auto* one = new Memo;
  return *one;
}

std::optional<Divided> remembered(const std::pair<Expr, Expr>& key) {
  std::lock_guard hold(memo().lock);
  const auto at = memo().known.find(key);
  if (at == memo().known.end()) return std::nullopt;
  return at->second;
}

Divided divide_constants(int64_t a, int64_t b) {
  if (b == -1) return {checked_multiply(a, -1), 0};
  return {floor_quotient(a, b), floor_remainder(a, b)};
}

}  // namespace

int64_t floor_quotient(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}

int64_t floor_remainder(int64_t a, int64_t b) {
  const int64_t r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

Divided divide(Expr a, Expr b) {
  VITRO_CHECK(!b.is(0), "size: ", a.text(), " is divided by 0");
  if (b.is(1)) return {a, 0};
  if (a == b) return {1, 0};
  if (const auto x = a.constant(), y = b.constant(); x && y) return divide_constants(*x, *y);
  if (a.is(0)) return {0, 0};
  const std::pair key(a, b);
  if (const auto known = remembered(key)) return *known;
  Divided parts;
  try {
    parts = divide_any(a, b);
  } catch (const Overflow&) {
    parts = {atom(Kind::floordiv, a, b), atom(Kind::mod, a, b)};
  }
  std::lock_guard hold(memo().lock);
  memo().known.emplace(key, parts);
  return parts;
}

}  // namespace vitro::sym
