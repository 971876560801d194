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

// The only value of `symbol` for which `e` is not negative; nothing where there are several.
std::optional<sym::Expr> only_value(sym::Expr e, sym::Expr symbol) {
  const auto linear = sym::as_linear(e, symbol);
  if (!linear) return {};
  const auto factor = linear->coefficient.constant(), rest = linear->rest.constant();
  if (!factor || !rest || *factor >= 0 || *rest < 0) return {};
  const int64_t least = sym::range_of(symbol).low;
  return *rest / -*factor == least ? std::optional(sym::Expr(least)) : std::nullopt;
}

}  // namespace

Held::Held(std::span<const sym::Guard> guards) {
  std::vector<sym::Guard> left;
  for (const sym::Guard& guard : guards) {
    if (guard.question == sym::Guard::Question::less || guard.answer) left.push_back(guard);
  }
  // A value that is put in may make another guard one that can be solved.
  while (std::erase_if(left, [this](const sym::Guard& guard) { return solve(guard); }) > 0) {
  }
}

bool Held::solve(const sym::Guard& guard) {
  try {
    const sym::Expr a = (*this)(guard.a), b = (*this)(guard.b);
    if (guard.question == sym::Guard::Question::equal) return put_in(a - b, root_of);
    return put_in(guard.answer ? b - a - 1 : a - b, only_value);
  } catch (const sym::Overflow&) {  // no number that a size may have
    return false;
  }
}

bool Held::put_in(sym::Expr e, std::optional<sym::Expr> (*value_of)(sym::Expr, sym::Expr)) {
  for (const sym::Expr symbol : std::views::reverse(sym::symbols_of(e))) {
    const std::optional<sym::Expr> value = value_of(e, symbol);
    if (!value || !can_stand_for(*value, symbol)) continue;
    auto values = values_;
    for (auto& [held, by] : values) by = sym::substitute(by, symbol, *value);
    values.emplace_back(symbol, *value);
    values_ = std::move(values);
    return true;
  }
  return false;
}

}  // namespace vitro::capture
