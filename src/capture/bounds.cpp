// Each guard compares two expressions and so narrows the range of the sum that is their difference.
// KnownValues uses these ranges to find symbols with only one possible value.
#include "capture/bounds.h"

#include <algorithm>
#include <numeric>

#include "vitro/base/cat.h"

namespace vitro::capture {
namespace {

using sym::Expr;

int64_t coefficient_of(Expr term) {
  if (sym::kind_of(term) != sym::Kind::product) return 1;
  return sym::operands_of(term)[0].constant().value_or(1);
}

// e == factor * sum + constant, with `sum` normalized as in Bound; or -e, if `is_negated`.
struct Parts {
  Expr sum, factor, constant;
  bool is_negated = false;
};
Parts parts_of(Expr e) {
  std::vector<Expr> terms{e};
  if (sym::kind_of(e) == sym::Kind::sum) terms = sym::operands_of(e);
  if (coefficient_of(terms[0]) < 0) {
    Parts parts = parts_of(-e);
    parts.is_negated = true;
    return parts;
  }
  Expr constant = 0;
  int64_t factor = 0;
  for (const Expr term : terms) {
    if (term.constant()) {
      constant = term;
    } else {
      factor = std::gcd(factor, coefficient_of(term));
    }
  }
  const Expr whole = e - constant;
  return {factor == 1 ? whole : sym::floordiv(whole, factor), factor, constant};
}

// A fresh symbol of at least `least`, distinct for each `number`.
Expr at_least(int64_t least, size_t number) {
  return Expr::symbol(cat("least", least, '_', number), {least, sym::unbounded});
}

}  // namespace

Bounds::Bounds(std::span<const sym::Guard> guards) {
  for (const sym::Guard& guard : guards) {
    try {
      add(guard);
    } catch (const sym::Overflow&) {  // no bound on values that a size can have
    }
  }
  cut_ends();
}

void Bounds::add(const sym::Guard& guard) {
  const Expr gap = guard.a - guard.b;
  if (gap.constant()) return;
  if (guard.question == sym::Guard::Question::less) {
    add_not_negative(guard.answer ? -gap - 1 : gap);
  } else if (guard.answer) {
    add_not_negative(gap);
    add_not_negative(-gap);
  } else {
    add_not_zero(gap);
  }
}

void Bounds::add_not_negative(Expr e) {
  const Parts parts = parts_of(e);
  const Expr end = parts.is_negated ? sym::floordiv(-parts.constant, parts.factor)
                                    : -sym::floordiv(parts.constant, parts.factor);
  sym::Range& range = all_[place_of(parts.sum)].range;
  if (parts.is_negated) {
    range.high = std::min(range.high, *end.constant());
  } else {
    range.low = std::max(range.low, *end.constant());
  }
}

void Bounds::add_not_zero(Expr e) {
  const Parts parts = parts_of(e);
  if (!sym::mod(parts.constant, parts.factor).is(0)) return;
  const Expr root = -sym::floordiv(parts.constant, parts.factor);
  holes_.emplace_back(place_of(parts.sum), *root.constant());
}

// Excludes holes at the ends of ranges, repeatedly, since the new end may be a hole too.
void Bounds::cut_ends() {
  while (std::erase_if(holes_, [this](const auto& hole) {
           sym::Range& range = all_[hole.first].range;
           const bool low = range.low == hole.second, high = range.high == hole.second;
           if (low) ++range.low;
           if (high) --range.high;
           return low || high;
         }) > 0) {
  }
}

size_t Bounds::place_of(Expr sum) {
  const auto [known, is_new] = places_.emplace(sum, all_.size());
  if (is_new) all_.push_back({sum, sym::range_of(sum)});
  return known->second;
}

sym::Range Bounds::range_of(Expr symbol) const {
  const auto known = places_.find(symbol);
  return known == places_.end() ? sym::range_of(symbol) : all_[known->second].range;
}

bool Bounds::holds_to_least(const Bound& bound, Expr symbol) const {
  const auto [low, high] = bound.range;
  return (high < sym::unbounded && is_negative_above_least(high - bound.sum, symbol)) ||
         (low > -sym::unbounded && is_negative_above_least(bound.sum - low, symbol));
}

bool Bounds::is_negative_above_least(Expr e, Expr symbol) const {
  std::vector<std::pair<Expr, Expr>> moved;
  for (const Expr each : sym::symbols_of(e)) {
    const int64_t least = range_of(each).low;
    if (least > -sym::unbounded) {
      moved.emplace_back(each, at_least(each == symbol ? least + 1 : least, moved.size()));
    } else if (each == symbol) {
      return false;
    }
  }
  return sym::prove_less(sym::substitute(e, moved), 0).value_or(false);
}

}  // namespace vitro::capture
