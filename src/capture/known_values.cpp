// Solves the guards of a path for symbols: equations first, then bounds that leave one value.
// Substituting a solution may make another guard solvable, so this repeats until nothing changes.
#include "capture/known_values.h"

#include <optional>
#include <ranges>
#include <utility>
#include <vector>

#include "capture/bounds.h"

namespace vitro::capture {
namespace {

// The value of `symbol` for which `gap` is 0; none if it is not a single expression.
std::optional<sym::Expr> root_of(sym::Expr gap, sym::Expr symbol) {
  const auto linear = sym::as_linear(gap, symbol);
  if (!linear) return {};
  const auto factor = linear->coefficient.constant(), rest = linear->rest.constant();
  if (factor == 1) return -linear->rest;
  if (factor == -1) return linear->rest;
  if (!factor || !rest || *factor == 0 || *rest % *factor != 0) return {};
  return sym::Expr(-(*rest / *factor));
}

// Whether the range of `value` implies that of `symbol`.  The upper limit of sizes is ignored: each
// call checks it.
bool can_stand_for(sym::Expr value, sym::Expr symbol) {
  const sym::Range mine = sym::range_of(value), wanted = sym::range_of(symbol);
  return mine.low >= wanted.low && (mine.high <= wanted.high || wanted.high >= sym::largest_size);
}

}  // namespace

KnownValues::KnownValues(std::span<const sym::Guard> guards) {
  std::vector<sym::Guard> open(guards.begin(), guards.end());
  // Substituting a solution may make another guard solvable.
  bool more = !open.empty();
  while (more) {
    more = std::erase_if(open, [this](const sym::Guard& guard) {
             const bool is_equal = guard.question == sym::Guard::Question::equal;
             return is_equal && guard.answer && solve(guard.a, guard.b);
           }) > 0;
    if (!more) more = solve_bounds(open);
  }
}

sym::Expr KnownValues::operator()(sym::Expr e) const {
  if (values_.empty() || e.constant()) return e;
  std::vector<std::pair<sym::Expr, sym::Expr>> known;
  for (const sym::Expr symbol : sym::symbols_of(e)) {
    const auto value = values_.find(symbol);
    if (value != values_.end()) known.emplace_back(*value);
  }
  return sym::substitute(e, known);
}

bool KnownValues::solve(sym::Expr a, sym::Expr b) {
  try {
    const sym::Expr gap = (*this)(a) - (*this)(b);
    for (const sym::Expr symbol : std::views::reverse(sym::symbols_of(gap))) {
      const std::optional<sym::Expr> value = root_of(gap, symbol);
      if (!value || !can_stand_for(*value, symbol)) continue;
      put_in(symbol, *value);
      return true;
    }
  } catch (const sym::Overflow&) {  // out of the range of sizes
  }
  return false;
}

bool KnownValues::solve_bounds(std::span<const sym::Guard> guards) {
  std::vector<sym::Guard> left;
  for (sym::Guard guard : guards) {
    try {
      guard.a = (*this)(guard.a);
      guard.b = (*this)(guard.b);
      left.push_back(guard);
    } catch (const sym::Overflow&) {  // no bound on values that a size can have
    }
  }
  const Bounds bounds(left);
  bool more = false;
  for (const Bounds::Bound& bound : bounds.all()) {
    try {
      const auto [low, high] = bound.range;
      if (low == high && solve(bound.sum, low)) more = true;
      for (const sym::Expr symbol : sym::symbols_of(bound.sum)) {
        if (!bounds.holds_to_least(bound, symbol)) continue;
        more = solve(symbol, bounds.range_of(symbol).low) || more;
      }
    } catch (const sym::Overflow&) {  // out of the range of sizes
    }
  }
  return more;
}

void KnownValues::put_in(sym::Expr symbol, sym::Expr value) {
  std::vector<std::pair<sym::Expr, sym::Expr>> changed{{symbol, value}};
  if (const auto names = named_by_.find(symbol); names != named_by_.end()) {
    for (const sym::Expr held : names->second)
      changed.emplace_back(held, sym::substitute(values_.at(held), symbol, value));
    named_by_.erase(names);
  }
  for (const auto& [held, by] : changed) {
    values_[held] = by;
    for (const sym::Expr named : sym::symbols_of(by)) named_by_[named].insert(held);
  }
}

}  // namespace vitro::capture
