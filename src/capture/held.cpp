#include "capture/held.h"

#include <optional>
#include <ranges>

namespace vitro::capture {
namespace {

// The value of `symbol` for which `gap` is 0; nothing where that is not one expression.
std::optional<sym::Expr> root_of(sym::Expr gap, sym::Expr symbol) {
  const auto linear = sym::as_linear(gap, symbol);
  if (!linear) return {};
  const auto factor = linear->coefficient.constant(), rest = linear->rest.constant();
  if (factor == 1) return -linear->rest;
  if (factor == -1) return linear->rest;
  if (!factor || !rest || *factor == 0 || *rest % *factor != 0) return {};
  return sym::Expr(-(*rest / *factor));
}

// Whether all that is known of `symbol` is known of `value` too.  That a size is no larger than
// sizes are is what each call checks; nothing is made of it.
bool can_stand_for(sym::Expr value, sym::Expr symbol) {
  const sym::Range mine = sym::range_of(value), wanted = sym::range_of(symbol);
  return mine.low >= wanted.low && (mine.high <= wanted.high || wanted.high >= sym::largest_size);
}

}  // namespace

Held::Held(std::span<const sym::Guard> guards) {
  std::vector<sym::Guard> equal;
  for (const sym::Guard& guard : guards) {
    if (guard.question == sym::Guard::Question::equal && guard.answer) equal.push_back(guard);
  }
  // A value that is put in may make another equation one that can be solved.
  while (std::erase_if(equal, [this](const sym::Guard& guard) { return solve(guard); }) > 0) {
  }
}

bool Held::solve(const sym::Guard& equal) {
  try {
    const sym::Expr gap = (*this)(equal.a) - (*this)(equal.b);
    for (const sym::Expr symbol : std::views::reverse(sym::symbols_of(gap))) {
      const std::optional<sym::Expr> value = root_of(gap, symbol);
      if (!value || !can_stand_for(*value, symbol)) continue;
      auto values = values_;
      for (auto& [held, by] : values) by = sym::substitute(by, symbol, *value);
      values.emplace_back(symbol, *value);
      values_ = std::move(values);
      return true;
    }
  } catch (const sym::Overflow&) {  // no number that a size may have
  }
  return false;
}

}  // namespace vitro::capture
