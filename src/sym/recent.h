// What the calling thread worked out lately: nodes live for ever, so an answer once right stays
// right, and the same few expressions are asked for again and again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sym/node.h"

namespace vitro::sym {

// A table that forgets: one slot per hash.
template <class Value, size_t size>
class Forgetful {
 public:
  const Value* find(Expr a, Expr b) const {
    const Slot& slot = slots_[index(a, b)];
    return slot.a == a && slot.b == b ? &slot.value : nullptr;
  }
  Value put(Expr a, Expr b, Value value) {
    slots_[index(a, b)] = {a, b, value};
    return value;
  }

 private:
  struct Slot {
    Expr a, b;
    Value value{};
  };
  static size_t index(Expr a, Expr b) {
    const size_t second = b.defined() ? b.node()->hash : 0;
    return ((a.node()->hash * 31 + second) * 0x9e3779b97f4a7c15u) >> 40 & (size - 1);
  }
  std::array<Slot, size> slots_;
};

struct Recent {
  struct Constant {
    int64_t value = 0;
    Expr expr;
  };
  std::array<Constant, 256> constants;
  Forgetful<Expr, 1024> sums, products;
  Forgetful<bool, 1024> proofs;
};

// The calling thread's; null while the thread ends.  Its memory is not thread-local memory itself,
// which is scarce in a library that is loaded late.
Recent* recent();

}  // namespace vitro::sym
