// What varies from call to call, of one call: the values of symbols, and numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "vitro/core/tensor.h"

namespace vitro::capture {

// The value in a call of an expression over its symbols; Bug where one of them has none.
using ValueOf = std::function<int64_t(sym::Expr)>;

// Of the input of a frozen function that lies in the slot: where it begins in its storage.
sym::Expr offset_symbol(uint32_t slot);

class Symbols {
 public:
  void clear() { known_.clear(); }
  size_t mark() const { return known_.size(); }
  void back_to(size_t mark) { known_.resize(mark); }
  // A symbol gets its value once per call; false where it has another value already, or where the
  // value is out of the symbol's range.
  bool bind(sym::Expr symbol, int64_t value);
  const int64_t* find(sym::Expr symbol) const {
    for (const auto& [s, v] : known_) {
      if (s == symbol) return &v;
    }
    return nullptr;
  }
  // False where a symbol of `e` has no value in this call.
  bool knows(sym::Expr e) const;
  int64_t value(sym::Expr e) const;
  std::optional<int64_t> find_value(sym::Expr e) const;  // none where it does not know `e`
  int64_t value(Size s) const { return s.is_symbolic() ? value(s.expr()) : s.hint(); }
  bool holds(const sym::Guard& guard) const;
  Ints values(const Sizes& sizes) const;

 private:
  std::vector<std::pair<sym::Expr, int64_t>> known_;
};

// Symbols have their values for all of the call, numbers for a segment.  A comparison or recording
// that fails takes back what it added: it asks for mark() before and calls back_to() after.
struct CallValues {
  struct Mark {
    size_t symbols, numbers;
  };
  Symbols symbols;
  std::vector<Scalar> numbers;  // by NodeOperand::slot, of those of the kind `varying`

  Mark mark() const { return {symbols.mark(), numbers.size()}; }
  void back_to(Mark mark) {
    symbols.back_to(mark.symbols);
    numbers.resize(mark.numbers);
  }
};

}  // namespace vitro::capture
