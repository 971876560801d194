// How to define an op: one struct, from which its run-time description (OpDef) and the public
// function follow.
//   struct Sigmoid : Unary {
//     static constexpr std::string_view name = "sigmoid", doc = "1 / (1 + e^-x) for each element.";
//     static constexpr Promote promote = Promote::to_float;
//     static auto value(auto x) { return 1.0 / (1.0 + m::exp(-x)); }
//   };
//   inline constexpr ops::PointwiseFunction<ops::Sigmoid> sigmoid;
// Consumers run a body on their own types: vectors of numbers (eager), loop expressions (generated
// code), counters. It calls m::exp etc. (ops/math.h), never exp. Its literals are doubles: as an
// operand of an operator they take the type of the other operand; as an argument of m:: write
// m::like(x, 1.0).
// `signatures` are the op's ATen schemas, one overload per line; the bases define those of most
// ops. An argument with the name of an attribute is that attribute, the others are the operands in
// order. If a call by name is more than one op (`add` with alpha), the definition names the public
// function: `static constexpr auto function = &vitro::add`. Overloads that differ in this have a
// function each, or nullptr: `static constexpr std::tuple functions{nullptr, &over}`.
// The in-place forms of a pointwise op follow from `signatures`; if ATen names them differently, or
// there are none, define `in_place_signatures`.
// The gradient is defined in one of these ways:
//   static auto vjp(auto g, auto x, auto y) { return g * y; }
//     For a pointwise op: a body, which also runs on tensors (ops/term.h). Its arguments are the
//     attributes if `uses_attrs`, the gradient of the result, the operands, the result. It returns
//     the gradient of the operand, or a tuple with one per operand: only the leading ones if the
//     others are plain numbers, `no_gradient` for one that has none. A gradient may be a function
//     without arguments, which is called only if it is wanted. The caller sums over broadcast
//     dimensions.
//   static void gradient(Formula& f);
//     For any kind (core/formula.h); the bases of views, gathers and scatters have one. It takes
//     precedence over `vjp`.
//   static constexpr std::string_view not_differentiable = "it counts";
//     There is no gradient, for this reason, even if the base has one. Not needed for comparisons
//     and for ops that do not take floating-point numbers.
//   static constexpr bool is_constant = true;
//     Beside a gradient: results do not require one, whatever the operands do.
// A composite that defines none of these is differentiated through its program.
// The arguments of a body: the attributes if `uses_attrs`; then, if `uses_index`, a callable at(d)
// that returns the element's index (i64) along dimension d < 0 of the result; then the operands
// in the compute type (the condition of `where` as the consumer's bool type).
#pragma once

#include <array>
#include <concepts>
#include <initializer_list>
#include <source_location>
#include <span>
#include <string_view>
#include <vector>

#include "vitro/core/interpreter.h"
#include "vitro/core/op.h"
#include "vitro/ops/shapes.h"

namespace vitro::ops {

// The first operand of a call; records the source location of the call.
class At {
 public:
  At(const Tensor& t, std::source_location from =
                          std::source_location::current())  // NOLINT(google-explicit-constructor)
      : operand(t), where(from) {}
  Operand operand;
  std::source_location where;
};
// The same for ops whose first operand may be a number.
class First {
 public:
  First(const Tensor& t,
        std::source_location from =
            std::source_location::current())  // NOLINT(google-explicit-constructor)
      : operand(t), where(from) {}
  template <class N>
    requires std::is_arithmetic_v<N> || std::same_as<N, Scalar> || std::same_as<N, Size> ||
                 std::same_as<N, std::complex<float>> || std::same_as<N, std::complex<double>>
  First(N n, std::source_location from =
                 std::source_location::current())  // NOLINT(google-explicit-constructor)
      : operand(n), where(from) {}
  Operand operand;
  std::source_location where;
};

// A list of tensors, borrowed for the call: {a, b}, a vector, an array or a span.
struct TensorsArg : std::span<const Tensor> {
  TensorsArg(std::span<const Tensor> all) : span(all) {}                            // NOLINT
  TensorsArg(const std::vector<Tensor>& all) : span(all) {}                         // NOLINT
  TensorsArg(std::initializer_list<Tensor> all) : span(all.begin(), all.size()) {}  // NOLINT
  template <size_t n>
  TensorsArg(const std::array<Tensor, n>& all) : span(all) {}  // NOLINT
};

// The definition of an op. The library has those of the list (ops/all.h); to define another one,
// also include ops/definition.h.
template <class Op>
const OpDef& def();

template <class Op>
concept HasAttrs = requires { typename Op::Attrs; };

template <class Op>
AttrsView attrs_view(const typename Op::Attrs& attrs) {
  return {&attrs, def<Op>().attrs};
}

template <class Op>
Tensor call(std::source_location where, std::initializer_list<Operand> operands) {
  return call_one(def<Op>(), {operands.begin(), operands.size()}, {}, where);
}
template <class Op>
Tensor call(std::source_location where, std::initializer_list<Operand> operands,
            const typename Op::Attrs& attrs) {
  return call_one(def<Op>(), {operands.begin(), operands.size()}, attrs_view<Op>(attrs), where);
}
template <class Op, size_t n>
std::array<Tensor, n> call_many(std::source_location where, std::initializer_list<Operand> operands,
                                const typename Op::Attrs& attrs) {
  std::array<Tensor, n> results;
  vitro::call(
      OpCall{&def<Op>(), {operands.begin(), operands.size()}, attrs_view<Op>(attrs), false, where},
      results);
  return results;
}

// The public function of a pointwise op without attributes: exp(x), add(x, 2), where(c, x, y).
template <class Op>
struct PointwiseFunction {
  Tensor operator()(const First& a) const
    requires(Op::arity == 1)
  {
    return call<Op>(a.where, {a.operand});
  }
  Tensor operator()(const First& a, const Operand& b) const
    requires(Op::arity == 2)
  {
    return call<Op>(a.where, {a.operand, b});
  }
  Tensor operator()(const First& a, const Operand& b, const Operand& c) const
    requires(Op::arity == 3)
  {
    return call<Op>(a.where, {a.operand, b, c});
  }
};

// The in-place form: add_(x, y), exp_(x). It writes the result into the first operand and returns
// it. The result must fit the sizes of x and be castable to its dtype.
template <class Op>
struct InPlace {
  const Tensor& operator()(const Tensor& x,
                           std::source_location where = std::source_location::current()) const
    requires(Op::arity == 1)
  {
    return write(x, {x}, where);
  }
  const Tensor& operator()(const Tensor& x, const Operand& b,
                           std::source_location where = std::source_location::current()) const
    requires(Op::arity == 2)
  {
    return write(x, {x, b}, where);
  }
  const Tensor& operator()(const Tensor& x, const Operand& b, const Operand& c,
                           std::source_location where = std::source_location::current()) const
    requires(Op::arity == 3)
  {
    return write(x, {x, b, c}, where);
  }

 private:
  static const Tensor& write(const Tensor& x, std::initializer_list<Operand> operands,
                             std::source_location where) {
    Tensor result;
    vitro::call(OpCall{&def<Op>(), {operands.begin(), operands.size()}, {}, true, where},
                {&result, 1});
    return x;
  }
};

// ---- bases of definitions ----

struct Pointwise {
  static constexpr OpKind kind = OpKind::pointwise;
  static constexpr Promote promote = Promote::arithmetic;
  static constexpr bool first_is_condition = false, uses_index = false, uses_attrs = false;
  static constexpr bool first_is_shape = false;  // only sizes and dtype of operand 0 are used
  static constexpr bool integer_divisor = false;
  static constexpr int copied_operand = -1;  // the body returns this operand unchanged
  static constexpr Numbers numbers = Numbers::rounded;
  static constexpr Accepts accepts = Accepts::all;
};
// A pointwise op of kind composite also has a program in other ops, which is what graphs contain.
// Its body gives the same bits in one visit if nothing is rounded below the compute type; eager,
// which runs programs op by op, prefers it.
struct Unary : Pointwise {
  static constexpr int arity = 1;
  static constexpr std::string_view signatures = "(Tensor self) -> Tensor";
};
struct Binary : Pointwise {
  static constexpr int arity = 2;
  static constexpr std::string_view signatures =
      ".Tensor(Tensor self, Tensor other) -> Tensor\n"
      ".Scalar(Tensor self, Scalar other) -> Tensor";
};
// A binary op for which ATen has only the overload of two tensors.
struct TensorBinary : Binary {
  static constexpr std::string_view signatures = "(Tensor self, Tensor other) -> Tensor";
};
struct Ternary : Pointwise {
  static constexpr int arity = 3;
};

// ---- gradients ----

// In a tuple of gradients: this operand has none.
struct NoGradient {};
inline constexpr NoGradient no_gradient;

// Detects a member `vjp`. It is a template, so it has no address: lookup of the name is ambiguous.
struct NamesVjp {
  int vjp;
};
template <class Op>
struct NamesVjpTwice : Op, NamesVjp {};
template <class Op>
concept HasVjp = !requires { &NamesVjpTwice<Op>::vjp; };

}  // namespace vitro::ops
