// The values that vary between calls, for one call: symbols and numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "vitro/core/tensor.h"

namespace vitro::capture {

// The value of an expression over symbols in one call; Bug if a symbol has no value.
using ValueOf = std::function<int64_t(sym::Expr)>;

// The symbol for the storage offset of the input in `slot` of a frozen function.
sym::Expr offset_symbol(uint32_t slot);

class Symbols {
 public:
  void clear() { known_.clear(); }
  size_t mark() const { return known_.size(); }
  void back_to(size_t mark) { known_.resize(mark); }
  // Sets a symbol's value, once per call; false if it has another value or the value is outside the
  // symbol's range.
  bool bind(sym::Expr symbol, int64_t value);
  const int64_t* find(sym::Expr symbol) const {
    for (const auto& [s, v] : known_) {
      if (s == symbol) return &v;
    }
    return nullptr;
  }
  // False if a symbol of `e` has no value in this call.
  bool knows(sym::Expr e) const;
  int64_t value(sym::Expr e) const;
  std::optional<int64_t> find_value(sym::Expr e) const;  // none if !knows(e)
  int64_t value(Size s) const { return s.is_symbolic() ? value(s.expr()) : s.hint(); }
  bool holds(const sym::Guard& guard) const;
  Ints values(const Sizes& sizes) const;

 private:
  std::vector<std::pair<sym::Expr, int64_t>> known_;
};

// Symbols keep their values for the whole call, numbers for one segment.  A comparison or recording
// that may fail calls mark() first, and back_to() to undo.
struct CallValues {
  struct Mark {
    size_t symbols, numbers;
  };
  Symbols symbols;
  std::vector<Scalar> numbers;  // indexed by NodeOperand::slot of kind `varying`

  Mark mark() const { return {symbols.mark(), numbers.size()}; }
  void back_to(Mark mark) {
    symbols.back_to(mark.symbols);
    numbers.resize(mark.numbers);
  }
};

}  // namespace vitro::capture
