#include "capture/symbols.h"

#include "vitro/base/cat.h"
#include "vitro/base/error.h"

namespace vitro::capture {

sym::Expr offset_symbol(uint32_t slot) {
  return sym::Expr::symbol(cat('o', slot), {0, sym::unbounded});
}

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

std::optional<int64_t> Symbols::find_value(sym::Expr e) const {
  if (const int64_t* known = find(e)) return *known;
  bool known = true;
  int64_t value = 0;
  try {
    value = sym::evaluate(e, [this, &known](sym::Expr symbol) -> int64_t {
      const int64_t* found = find(symbol);
      known = known && found;
      return found ? *found : 1;
    });
  } catch (const Error&) {  // possibly caused by the placeholder 1
    if (known) throw;
  }
  return known ? std::optional(value) : std::nullopt;
}

bool Symbols::holds(const sym::Guard& guard) const {
  bool known = true;
  const auto value_of = [this, &known](sym::Expr symbol) -> int64_t {
    const int64_t* value = find(symbol);
    known = known && value;
    return value ? *value : 1;
  };
  try {
    return guard.holds(value_of) && known;
  } catch (const Error&) {  // undecidable: the call takes another path
    return false;
  }
}

Ints Symbols::values(const Sizes& sizes) const {
  Ints out(sizes.size());
  for (size_t i = 0; i < sizes.size(); ++i) out[i] = value(sizes[i]);
  return out;
}

}  // namespace vitro::capture
