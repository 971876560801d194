#include "sym/sample.h"

#include <algorithm>

#include "sym/node.h"

namespace vitro::sym {
namespace {

// Assigns a value to every symbol, the lower bound of its range or somewhat more, and to every
// index its first or last value.
class Sample {
 public:
  Sample(bool spread, bool last) : spread_(spread), last_(last) {}

  std::optional<int64_t> value(Expr e) const {
    const Node& node = *e.node();
    switch (node.kind) {
      case Kind::constant:
        return node.number;
      case Kind::symbol:
        return symbol(node);
      case Kind::index:
        return index(node);
      case Kind::sum:
      case Kind::product:
        return accumulate(node);
      case Kind::floordiv:
      case Kind::mod:
      case Kind::min:
      case Kind::max:
        return of_two(node);
    }
    return std::nullopt;
  }

 private:
  int64_t symbol(const Node& node) const {
    const Range r = node.range;
    const int64_t low = r.low == -unbounded ? std::min<int64_t>(r.high, 0) : r.low;
    if (!spread_) return low;
    const int64_t room = std::min<int64_t>(r.high - std::max<int64_t>(low, 0), 60);
    return low + static_cast<int64_t>(node.hash % 61) % (std::max<int64_t>(room, 0) + 1);
  }

  std::optional<int64_t> index(const Node& node) const {
    const auto extent = value(node.operands[0]);
    if (!extent || *extent <= 0) return std::nullopt;  // an empty loop refutes nothing
    return last_ ? *extent - 1 : 0;
  }

  std::optional<int64_t> accumulate(const Node& node) const {
    int64_t total = node.kind == Kind::product;
    for (const Expr operand : node.operands) {
      const auto v = value(operand);
      if (!v) return std::nullopt;
      const bool overflow = node.kind == Kind::product ? __builtin_mul_overflow(total, *v, &total)
                                                       : __builtin_add_overflow(total, *v, &total);
      if (overflow) return std::nullopt;
    }
    return total;
  }

  std::optional<int64_t> of_two(const Node& node) const {
    const auto a = value(node.operands[0]), b = value(node.operands[1]);
    if (!a || !b) return std::nullopt;
    if (node.kind == Kind::min) return std::min(*a, *b);
    if (node.kind == Kind::max) return std::max(*a, *b);
    if (*b == 0 || *b == -1) return std::nullopt;
    return node.kind == Kind::mod ? floor_remainder(*a, *b) : floor_quotient(*a, *b);
  }

  bool spread_, last_;
};

}  // namespace

bool somewhere_negative(Expr e) {
  for (const bool spread : {false, true}) {
    for (const bool last : {false, true}) {
      const auto v = Sample(spread, last).value(e);
      if (v && *v < 0) return true;
    }
  }
  return false;
}

}  // namespace vitro::sym
