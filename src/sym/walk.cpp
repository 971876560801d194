// Traversals of expressions: substitution, collecting symbols, linear form, evaluation.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "sym/node.h"
#include "sym/poly.h"
#include "vitro/base/error.h"

namespace vitro::sym {
namespace {

Expr combine(Kind kind, const std::vector<Expr>& operands) {
  switch (kind) {
    case Kind::sum: {
      Expr sum = operands[0];
      for (size_t i = 1; i < operands.size(); ++i) sum = sum + operands[i];
      return sum;
    }
    case Kind::product:
      return product(operands);
    case Kind::floordiv:
      return floordiv(operands[0], operands[1]);
    case Kind::mod:
      return mod(operands[0], operands[1]);
    case Kind::min:
      return min(operands[0], operands[1]);
    case Kind::max:
      return max(operands[0], operands[1]);
    case Kind::constant:
    case Kind::symbol:
    case Kind::index:
      break;
  }
  VITRO_ASSERT(false, "an expression without operands");
  return {};
}

int64_t combine(Kind kind, int64_t a, int64_t b) {
  switch (kind) {
    case Kind::sum:
      return checked_add(a, b);
    case Kind::product:
      return checked_multiply(a, b);
    case Kind::floordiv:
    case Kind::mod:
      VITRO_CHECK(b != 0, "size: ", a, " is divided by 0");
      if (b == -1) return kind == Kind::mod ? 0 : checked_multiply(a, -1);
      return kind == Kind::mod ? floor_remainder(a, b) : floor_quotient(a, b);
    case Kind::min:
      return std::min(a, b);
    case Kind::max:
      return std::max(a, b);
    case Kind::constant:
    case Kind::symbol:
    case Kind::index:
      break;
  }
  VITRO_ASSERT(false, "an expression without operands");
  return 0;
}

// Rewrites bottom up; shared nodes are rewritten once.
class Substitution {
 public:
  explicit Substitution(std::span<const std::pair<Expr, Expr>> values) {
    for (const auto& [symbol, value] : values) {
      VITRO_ASSERT(symbol.is_symbol(), "only symbols can be substituted, not ", symbol.text());
      done_.emplace(symbol, value);
    }
  }

  Expr run(Expr e) {
    if (e.node()->kind == Kind::constant) return e;
    if (const auto at = done_.find(e); at != done_.end()) return at->second;
    const Expr result = e.is_symbol() ? e : run_operands(e);
    done_.emplace(e, result);
    return result;
  }

 private:
  Expr run_operands(Expr e) {
    std::vector<Expr> operands = e.node()->operands;
    for (Expr& operand : operands) operand = run(operand);
    return operands == e.node()->operands ? e : combine(e.node()->kind, operands);
  }

  std::unordered_map<Expr, Expr> done_;
};

void collect_symbols(Expr e, std::unordered_set<Expr>& seen, std::vector<Expr>& symbols) {
  if (e.constant() || !seen.insert(e).second) return;
  if (e.is_symbol()) {
    symbols.push_back(e);
    return;
  }
  for (const Expr operand : e.node()->operands) collect_symbols(operand, seen, symbols);
}

}  // namespace

Expr substitute(Expr e, std::span<const std::pair<Expr, Expr>> values) {
  return values.empty() ? e : Substitution(values).run(e);
}

Expr substitute(Expr e, Expr symbol, Expr value) {
  const std::pair<Expr, Expr> one(symbol, value);
  return substitute(e, std::span(&one, 1));
}

std::vector<Expr> symbols_of(Expr e) {
  std::vector<Expr> symbols;
  std::unordered_set<Expr> seen;
  collect_symbols(e, seen, symbols);
  std::sort(symbols.begin(), symbols.end(), [](Expr a, Expr b) {
    const int names = compare_names(name_of(a), name_of(b));
    return names != 0 ? names < 0 : compare(a, b) < 0;
  });
  return symbols;
}

bool contains(Expr e, Expr symbol) {
  if (e == symbol) return true;
  if (e.is_symbol() || e.constant()) return false;
  const std::vector<Expr>& operands = e.node()->operands;
  return std::any_of(operands.begin(), operands.end(),
                     [&](Expr operand) { return contains(operand, symbol); });
}

std::optional<Linear> as_linear(Expr e, Expr symbol) {
  Poly coefficient, rest;
  for (const Term& term : poly_of(e)) {
    const auto around = divide(term.atoms, Monomial{symbol});
    const Term remaining{term.coefficient, around.value_or(term.atoms)};
    for (const Expr a : remaining.atoms) {
      if (symbol.is_symbol() ? contains(a, symbol) : a == symbol) return std::nullopt;
    }
    (around ? coefficient : rest).push_back(remaining);
  }
  return Linear{expr_of(coefficient), expr_of(rest)};
}

int64_t evaluate(Expr e, FunctionRef<int64_t(Expr)> value_of) {
  const Node& node = *e.node();
  if (node.kind == Kind::constant) return node.number;
  if (e.is_symbol()) return value_of(e);
  int64_t value = evaluate(node.operands[0], value_of);
  for (size_t i = 1; i < node.operands.size(); ++i) {
    value = combine(node.kind, value, evaluate(node.operands[i], value_of));
  }
  return value;
}

}  // namespace vitro::sym
