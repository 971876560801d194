// Tables that map op definitions to their bodies on loop values, built once from the lists of
// ops/all.h.
#include "backend/program/bodies.h"

#include <array>
#include <concepts>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "vitro/base/error.h"
#include "vitro/ops/all.h"

namespace vitro::backend {
namespace {

using loop::Value;
using State = ReductionBody::State;

using PointwiseBody = Value (*)(AttrsView, std::span<const Value>, const IndexAt&);

template <class Op, size_t... i>
Value run_body(AttrsView attrs, std::span<const Value> operands, const IndexAt& at,
               std::index_sequence<i...>) {
  if constexpr (Op::uses_attrs && Op::uses_index) {
    return Op::value(attrs.as<typename Op::Attrs>(), at, operands[i]...);
  } else if constexpr (Op::uses_attrs) {
    return Op::value(attrs.as<typename Op::Attrs>(), operands[i]...);
  } else if constexpr (Op::uses_index) {
    return Op::value(at, operands[i]...);
  } else {
    return Op::value(operands[i]...);
  }
}

struct AddPointwise {
  std::unordered_map<const OpDef*, PointwiseBody>& table;
  template <class Op>
  void operator()() {
    table[&ops::def<Op>()] = [](AttrsView attrs, std::span<const Value> operands,
                                const IndexAt& at) {
      VITRO_ASSERT(operands.size() == Op::arity, Op::name, ": body with ", operands.size(),
                   " operands");
      return run_body<Op>(attrs, operands, at, std::make_index_sequence<Op::arity>());
    };
  }
};

template <class Tuple>
State to_state(const Tuple& tuple) {
  return std::apply([](auto... parts) { return State{parts...}; }, tuple);
}

template <size_t count>
auto tuple_of(const State& s) {
  return [&]<size_t... i>(std::index_sequence<i...>) {
    return std::make_tuple(s[i]...);
  }(std::make_index_sequence<count>());
}

// Steps shared by reductions and scans.
template <class Op>
struct ReductionSteps {
  static constexpr size_t count = std::tuple_size_v<decltype(Op::init(std::declval<Value>()))>;
  static auto tuple(const State& s) { return tuple_of<count>(s); }
  static State init(Value zero) { return to_state(Op::init(zero)); }
  static State combine(const State& s, Value x, Value index) {
    return to_state(Op::combine(tuple(s), x, index));
  }
};

template <class Op>
struct Steps : ReductionSteps<Op> {
  using ReductionSteps<Op>::tuple;
  static State merge(const State& a, const State& b) {
    return to_state(Op::merge(tuple(a), tuple(b)));
  }
  static State finish(const State& s, Value count_value) {
    const auto made = Op::finish(tuple(s), count_value);
    if constexpr (std::is_same_v<decltype(made), const Value>) {
      return {made};
    } else {
      return to_state(made);
    }
  }
};

struct AddReduction {
  std::unordered_map<const OpDef*, ReductionBody>& table;
  template <class Op>
  void operator()() {
    using S = Steps<Op>;
    table[&ops::def<Op>()] = {&S::init, &S::combine, &S::merge, &S::finish, Op::rounds};
  }
};

struct AddScan {
  std::unordered_map<const OpDef*, ScanBody>& table;
  template <class Op>
  void operator()() {
    using S = ReductionSteps<Op>;
    table[&ops::def<Op>()] = {&S::init, &S::combine,
                              [](const State& s) { return to_state(Op::results(S::tuple(s))); }};
  }
};

template <class Op>
WindowBody made_window_body(int plane) {
  using Attrs = typename Op::Attrs;
  using Tuple = decltype(Op::init(std::declval<Attrs>(), std::declval<Value>()));
  constexpr size_t count = std::tuple_size_v<Tuple>;
  return {[](AttrsView attrs, Value zero) { return to_state(Op::init(attrs.as<Attrs>(), zero)); },
          [](const State& s, Value x, Value inside, Value position) {
            return to_state(Op::combine(tuple_of<count>(s), x, inside, position));
          },
          [](AttrsView attrs, const State& s, Value n) {
            return to_state(Op::results(attrs.as<Attrs>(), tuple_of<count>(s), n));
          },
          plane};
}

struct AddWindow {
  std::unordered_map<const OpDef*, WindowBody>& table;
  template <class Op>
  void operator()() {
    if constexpr (requires { typename Op::Body; }) {
      table[&ops::def<Op>()] = made_window_body<typename Op::Body>(Op::plane);
    } else {
      table[&ops::def<Op>()] = made_window_body<Op>(Op::plane);
    }
  }
};

}  // namespace

const WindowBody& window_body(const OpDef& op) {
  static const auto* table = [] {
    auto* made = new std::unordered_map<const OpDef*, WindowBody>;
    ops::WindowOps::each(AddWindow{*made});
    return made;
  }();
  return table->at(&op);
}

const ScanBody& scan_body(const OpDef& op) {
  static const auto* table = [] {
    auto* made = new std::unordered_map<const OpDef*, ScanBody>;
    ops::ScanOps::each(AddScan{*made});
    return made;
  }();
  return table->at(&op);
}

Value run_pointwise(const OpDef& op, AttrsView attrs, std::span<const Value> operands,
                    const IndexAt& at) {
  static const auto* table = [] {
    auto* made = new std::unordered_map<const OpDef*, PointwiseBody>;
    AddPointwise add{*made};
    ops::PointwiseOps::each(add);
    return made;
  }();
  return table->at(&op)(attrs, operands, at);
}

const ReductionBody& reduction_body(const OpDef& op) {
  static const auto* table = [] {
    auto* made = new std::unordered_map<const OpDef*, ReductionBody>;
    AddReduction add{*made};
    ops::ReductionOps::each(add);
    return made;
  }();
  return table->at(&op);
}

}  // namespace vitro::backend
