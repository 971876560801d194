// Counts FLOPs: runs the body of each op once on elements that count the operations on them.
#include "vitro/ops/flops.h"

#include <algorithm>
#include <tuple>
#include <type_traits>
#include <unordered_map>

#include "core/over_positions.h"
#include "vitro/ops/all.h"
#include "vitro/ops/rows.h"

namespace vitro::ops {
namespace counting {
namespace {

thread_local uint64_t operations = 0;

// The element type on which bodies run for counting.
struct Element {};

Element did() {
  ++operations;
  return {};
}

template <class A, class B>
concept Involved = std::is_same_v<A, Element> || std::is_same_v<B, Element>;

#define VITRO_COUNT_SIGN(sign)  \
  template <class A, class B>   \
    requires Involved<A, B>     \
  Element operator sign(A, B) { \
    return did();               \
  }
VITRO_COUNT_SIGN(+)
VITRO_COUNT_SIGN(-)
VITRO_COUNT_SIGN(*)
VITRO_COUNT_SIGN(/)
VITRO_COUNT_SIGN(<)
VITRO_COUNT_SIGN(<=)
VITRO_COUNT_SIGN(>)
VITRO_COUNT_SIGN(>=)
VITRO_COUNT_SIGN(==)
VITRO_COUNT_SIGN(!=)
VITRO_COUNT_SIGN(&&)
VITRO_COUNT_SIGN(||)
VITRO_COUNT_SIGN(&)
VITRO_COUNT_SIGN(|)
VITRO_COUNT_SIGN(^)
#undef VITRO_COUNT_SIGN
Element operator-(Element) {
  return did();
}
Element operator!(Element) {
  return did();
}
Element operator~(Element) {
  return did();
}

#define VITRO_COUNT(name, ...)                  \
  template <class... A>                         \
    requires(std::is_same_v<A, Element> || ...) \
  Element name(A...) {                          \
    return did();                               \
  }
VITRO_SCALAR_FUNCTIONS(VITRO_COUNT)
VITRO_COUNT(where)
VITRO_COUNT(philox)
#undef VITRO_COUNT
template <class A, class B, class C>
Element fma(A, B, C) {
  ++operations;
  return did();
}
// No operations: these only make a value of the type of their first argument.
Element lowest(Element) {
  return {};
}
Element highest(Element) {
  return {};
}
Element last_index(Element) {
  return {};
}
template <class A>
Element like(Element, A) {
  return {};
}

// The number of operations that f() executes.
uint64_t operations_in(auto f) {
  operations = 0;
  f();
  return operations;
}

struct At {
  Element in(int) const { return {}; }
  Element out(int) const { return {}; }
  auto put(int, auto value) const { return value; }
};

// A row that counts only the work per element.
struct Row {
  uint64_t& each_element;
  Element sum(auto f) const { return fold(f); }
  Element mean(auto f) const { return fold(f); }
  Element maximum(auto f) const { return fold(f); }
  void each(auto f) const {
    each_element += operations_in([&] { f(At()); });
  }
  bool has(int) const { return true; }
  void put(int, auto) const {}

 private:
  Element fold(auto f) const {
    each_element += operations_in([&] { f(At()); }) + 1;
    return {};
  }
};

}  // namespace
}  // namespace counting

namespace {

using counting::Element;

// Operations per element of the result (pointwise) or of the operand (reductions, rows).
using PerElement = uint64_t (*)(AttrsView attrs);

struct At {
  Element operator()(int) const { return {}; }
};

template <class Op, size_t... i>
void run_body(AttrsView attrs, std::index_sequence<i...>) {
  if constexpr (Op::uses_attrs && Op::uses_index) {
    Op::value(attrs.as<typename Op::Attrs>(), At(), (static_cast<void>(i), Element())...);
  } else if constexpr (Op::uses_attrs) {
    Op::value(attrs.as<typename Op::Attrs>(), (static_cast<void>(i), Element())...);
  } else if constexpr (Op::uses_index) {
    Op::value(At(), (static_cast<void>(i), Element())...);
  } else {
    Op::value((static_cast<void>(i), Element())...);
  }
}

using Table = std::unordered_map<const OpDef*, PerElement>;

struct AddPointwise {
  Table& table;
  template <class Op>
  void operator()() {
    table[&def<Op>()] = [](AttrsView attrs) {
      return counting::operations_in(
          [&] { run_body<Op>(attrs, std::make_index_sequence<Op::arity>()); });
    };
  }
};

// Also for scans.
struct AddReduction {
  Table& table;
  template <class Op>
  void operator()() {
    table[&def<Op>()] = [](AttrsView) {
      return counting::operations_in(
          [] { Op::combine(Op::init(Element()), Element(), Element()); });
    };
  }
};

// A window that only selects elements counts nothing.
struct AddWindow {
  Table& table;
  template <class Op>
  void operator()() {
    if (Op::info.taps != &WindowOp::one_tap) {
      table[&def<Op>()] = [](AttrsView attrs) {
        return static_cast<uint64_t>(Op::info.taps(attrs)) * counting::operations_in([] {
                 Op::combine(Op::init(typename Op::Attrs(), Element()), Element(), Element(),
                             Element());
               });
      };
    }
  }
};

struct AddRows {
  Table& table;
  template <class Program>
  void operator()() {
    table[&def<typename Program::Op>()] = [](AttrsView attrs) {
      uint64_t each_element = 0;
      Program::make(attrs.as<typename Program::Op::Attrs>(), counting::Row{each_element});
      return each_element;
    };
  }
};

const Table& table() {
  static const Table* const all = [] {
    auto* made = new Table;
    PointwiseOps::each(AddPointwise{*made});
    PointwisePrograms::each(AddPointwise{*made});
    ReductionOps::each(AddReduction{*made});
    ScanOps::each(AddReduction{*made});
    WindowOps::each(AddWindow{*made});
    RowPrograms::each(AddRows{*made});
    return made;
  }();
  return *all;
}

uint64_t elements(const TensorMeta& meta) {
  uint64_t count = 1;
  for (const Size size : meta.sizes) count *= static_cast<uint64_t>(size.hint());
  return count;
}

// Two operations per step along k and element of the result.
uint64_t product_flops(const OpCall& call, const TensorMeta& result) {
  const TensorMeta left = call.operands[0].tensor().rule_meta(),
                   right = call.operands[1].tensor().rule_meta();
  return 2 * elements(result) * depth_of(*call.op, left, right);
}

}  // namespace

uint64_t depth_of(const OpDef& op, const TensorMeta& left, const TensorMeta& right) {
  if (!op.contraction->windows) return static_cast<uint64_t>(left.sizes.back().hint());
  const Size columns = right.sizes[sums_positions(*op.contraction) ? 1 : 0];
  return elements(right) / static_cast<uint64_t>(std::max<int64_t>(columns.hint(), 1));
}

uint64_t flops_of(const OpCall& call, const TensorMeta& result) {
  if (call.op->kind == OpKind::contraction) return product_flops(call, result);
  const auto found = table().find(call.op);
  if (found == table().end()) return 0;
  const bool of_operand = !call.op->pointwise && !call.op->window;
  return found->second(call.attrs) *
         elements(of_operand ? call.operands[0].tensor().rule_meta() : result);
}

}  // namespace vitro::ops
