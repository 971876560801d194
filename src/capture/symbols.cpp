#include "capture/symbols.h"

#include "vitro/base/error.h"

namespace vitro::capture {

bool Symbols::bind(sym::Expr symbol, int64_t value) {
  if (const int64_t* known = find(symbol)) return *known == value;
  const sym::Range range = sym::range_of(symbol);
  if (value < range.low || value > range.high) return false;
  known_.emplace_back(symbol, value);
  return true;
}

bool Symbols::knows(sym::Expr e) const {
  if (find(e)) return true;
  for (const sym::Expr s : sym::symbols_of(e)) {
    if (!find(s)) return false;
  }
  return true;
}

int64_t Symbols::value(sym::Expr e) const {
  if (const int64_t* known = find(e)) return *known;
  return sym::evaluate(e, [this](sym::Expr symbol) {
    const int64_t* known = find(symbol);
    VITRO_ASSERT(known, "no value for ", symbol, " in this call");
    return *known;
  });
}

bool Symbols::holds(const sym::Guard& guard) const {
  if (!knows(guard.a) || !knows(guard.b)) return false;
  try {
    const int64_t a = value(guard.a), b = value(guard.b);
    return (guard.question == sym::Guard::Question::equal ? a == b : a < b) == guard.answer;
  } catch (const sym::Overflow&) {  // nobody can say: the call goes a way of its own
    return false;
  }
}

Ints Symbols::values(const Sizes& sizes) const {
  Ints out(sizes.size());
  for (size_t i = 0; i < sizes.size(); ++i) out[i] = value(sizes[i]);
  return out;
}

}  // namespace vitro::capture
