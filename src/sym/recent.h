// Per-thread caches of recent results.  Nodes are never freed, so entries never become invalid, and
// the same few expressions recur.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sym/node.h"

namespace vitro::sym {

// A direct-mapped cache: a new entry evicts the one with the same index.
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

// The caches of the calling thread; null while the thread exits.  They are allocated on the heap
// because thread-local memory is scarce in a library that is loaded by dlopen.
Recent* recent();

}  // namespace vitro::sym
