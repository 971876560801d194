// Derives the run-time description of an op, OpDef, from its struct. Include this only to define an
// op that is not in the list of ops/all.h; for the others def<Op>() is in the library.
#pragma once

#include <concepts>

#include "vitro/ops/define.h"

namespace vitro::ops {

// Runs the body `vjp` on tensors. ops/term.h defines it; the library has it for all ops in the
// list.
template <class Op>
void vjp_gradient(Formula& f);

template <class Op>
constexpr std::string_view why_no_gradient() {
  if constexpr (std::derived_from<Op, Pointwise>) {
    if (Op::promote == Promote::comparison || Op::promote == Promote::to_bool)
      return "its result is bool";
    if (Op::accepts == Accepts::not_floating) return "it takes no floating-point numbers";
  } else if constexpr (Op::kind == OpKind::opaque) {
    return "its kernel is opaque; define `gradient`";
  }
  return {};
}

// Its results require no gradient, whatever its operands do.
template <class Op>
concept IsConstant = requires { Op::is_constant; };

template <class Op>
constexpr GradientInfo make_gradient() {
  if constexpr (requires { Op::not_differentiable; }) {
    return {nullptr, Op::not_differentiable};
  } else if constexpr (requires(Formula& f) { Op::gradient(f); }) {
    return {&Op::gradient, {}, IsConstant<Op>};
  } else if constexpr (HasVjp<Op>) {
    return {&vjp_gradient<Op>, {}};
  } else {
    return {nullptr, why_no_gradient<Op>()};
  }
}
template <class Op>
inline constexpr GradientInfo gradient_info = make_gradient<Op>();

// ---- the definition ----

template <class Op>
inline constexpr PointwiseInfo pointwise_info{
    Op::promote,         Op::first_is_condition, Op::uses_index, Op::first_is_shape,
    Op::integer_divisor, Op::copied_operand,     Op::numbers};

template <class Op>
void pointwise_shape(ShapeCall& call) {
  shape_of_pointwise(call, pointwise_info<Op>, Op::accepts);
}

template <class Op>
OpDef make_def(int index) {
  OpDef d{.name = Op::name,
          .doc = Op::doc,
          .signatures = Op::signatures,
          .kind = Op::kind,
          .min_operands = 0,
          .max_operands = 0,
          .attrs = nullptr,
          .shape = nullptr,
          .index = index};
  if constexpr (requires { Op::arity; }) d.min_operands = d.max_operands = Op::arity;
  if constexpr (requires { Op::min_arity; }) d.min_operands = Op::min_arity;
  if constexpr (requires { Op::max_arity; }) d.max_operands = Op::max_arity;
  if constexpr (HasAttrs<Op>) d.attrs = &attrs_type<typename Op::Attrs>;
  if constexpr (requires(ShapeCall& c) { Op::shape(c); }) {
    d.shape = &Op::shape;
  } else {
    d.shape = &pointwise_shape<Op>;
  }
  if constexpr (std::derived_from<Op, Pointwise>) d.pointwise = &pointwise_info<Op>;
  if constexpr (Op::kind == OpKind::reduction) d.reduction = &Op::info;
  if constexpr (Op::kind == OpKind::scan) d.scan = &Op::info;
  if constexpr (Op::kind == OpKind::sort) d.sort = &Op::info;
  if constexpr (Op::kind == OpKind::view) d.view = &Op::info;
  if constexpr (Op::kind == OpKind::contraction) d.contraction = &Op::info;
  if constexpr (Op::kind == OpKind::gather) d.gather = &Op::info;
  if constexpr (Op::kind == OpKind::scatter) {
    if constexpr (requires { Op::info.view; }) {
      d.scatter = &Op::info;
    } else {
      d.put = &Op::info;
    }
  }
  if constexpr (Op::kind == OpKind::window) d.window = &Op::info;
  if constexpr (Op::kind == OpKind::concat) d.concat = &Op::info;
  if constexpr (Op::kind == OpKind::compaction) d.compaction = &Op::info;
  if constexpr (Op::kind == OpKind::composite) {
    constexpr bool is_one_kernel = requires { Op::is_one_kernel; };
    static constexpr CompositeInfo info{&Op::expand, is_one_kernel};
    d.composite = &info;
  }
  if constexpr (Op::kind == OpKind::opaque) {
    static constexpr OpaqueInfo info{&Op::kernel};
    d.opaque = &info;
  }
  constexpr const GradientInfo& gradient = gradient_info<Op>;
  if (gradient.formula || !gradient.none_because.empty() || Op::kind == OpKind::composite)
    d.gradient = &gradient;
  return d;
}

// Made once, on first use; safe to call from several threads.
int next_op_index();
template <class Op>
const OpDef& def() {
  static const OpDef one = make_def<Op>(next_op_index());
  return one;
}

}  // namespace vitro::ops
