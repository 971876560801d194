// How an op is defined: one struct, from which its run-time face (OpDef) and what users call
// follow.
//   struct Sigmoid : Unary {
//     static constexpr std::string_view name = "sigmoid", doc = "1 / (1 + e^-x) for each element.";
//     static constexpr Promote promote = Promote::to_float;
//     static auto value(auto x) { return 1.0 / (1.0 + m::exp(-x)); }
//   };
//   inline constexpr PointwiseFunction<Sigmoid> sigmoid;
// A body runs on whatever a consumer makes it run on: vectors of numbers (eager), loop expressions
// (generated code), counters. It calls m::exp and the like (ops/math.h), never exp.  Its literals
// are written as doubles: beside an operator they take the type of the other side, as an argument
// of m:: they are written m::like(x, 1.0).
// `signatures` says how the op is called, in ATen's words and one overload a line; the bases give
// what most have.  Arguments that bear the name of an attribute are that attribute, the others are
// the operands in their order.  Where a call by name is more than one op (`add` with alpha), the
// definition names the function that users call: `static constexpr auto function = &vitro::add`.
// The forms of a pointwise op that write into `self` follow from `signatures`; one whose forms ATen
// names otherwise, or that has none, says so in `in_place_signatures`.
// How its gradient is made, a definition says in one of these ways:
//   static auto vjp(auto g, auto x, auto y) { return g * y; }
//     Of a pointwise op: a body, which also runs on tensors (ops/term.h).  It is given the
//     attributes where `uses_attrs`, the gradient of the result, the operands, the result; it gives
//     the gradient of the operand, or a tuple, one for each operand: of the leading ones where the
//     others are plain numbers, `no_gradient` for one that has none.  One may be a function without
//     arguments, called where that gradient is wanted.  Numbers that broadcast are summed by the
//     caller.
//   static void gradient(Formula& f);
//     Of any kind (core/formula.h); the bases of views, gathers and scatters have one.  It goes
//     before `vjp`.
//   static constexpr std::string_view not_differentiable = "it counts";
//     There is none, and why; also of an op whose base has one.  Of comparisons, and where no
//     floating-point numbers are taken, this is known.
// A composite that says nothing is differentiated through its program.
// The arguments of a body: the attributes where `uses_attrs`; then, where `uses_index`, a callable
// at(d) that gives the element's index (i64) along dimension d < 0 of the result; then the operands
// in the type that is computed in (the condition of `where` as a truth value).
#pragma once

#include <array>
#include <concepts>
#include <source_location>
#include <span>
#include <string_view>

#include "vitro/core/interpreter.h"
#include "vitro/core/op.h"
#include "vitro/ops/shapes.h"

namespace vitro::ops {

// The first operand of a call, which notes where it was called from.
class At {
 public:
  At(const Tensor& t, std::source_location from =
                          std::source_location::current())  // NOLINT(google-explicit-constructor)
      : operand(t), where(from) {}
  Operand operand;
  std::source_location where;
};
// The same, where a number may stand first.
class First {
 public:
  First(const Tensor& t,
        std::source_location from =
            std::source_location::current())  // NOLINT(google-explicit-constructor)
      : operand(t), where(from) {}
  template <class N>
    requires std::is_arithmetic_v<N> || std::same_as<N, Scalar> || std::same_as<N, Size>
  First(N n, std::source_location from =
                 std::source_location::current())  // NOLINT(google-explicit-constructor)
      : operand(n), where(from) {}
  Operand operand;
  std::source_location where;
};

// The definition of an op.  The library has those of all ops in the list (ops/all.h); who defines
// another one includes ops/definition.h beside it.
template <class Op>
const OpDef& def();

template <class Op>
concept HasAttrs = requires { typename Op::Attrs; };

template <class Op>
AttrsView view_of(const typename Op::Attrs& attrs) {
  return {&attrs, def<Op>().attrs};
}

template <class Op>
Tensor call(std::source_location where, std::initializer_list<Operand> operands) {
  return call_one(def<Op>(), {operands.begin(), operands.size()}, {}, where);
}
template <class Op>
Tensor call(std::source_location where, std::initializer_list<Operand> operands,
            const typename Op::Attrs& attrs) {
  return call_one(def<Op>(), {operands.begin(), operands.size()}, view_of<Op>(attrs), where);
}
template <class Op, size_t n>
std::array<Tensor, n> call_many(std::source_location where, std::initializer_list<Operand> operands,
                                const typename Op::Attrs& attrs) {
  std::array<Tensor, n> results;
  vitro::call(
      OpCall{&def<Op>(), {operands.begin(), operands.size()}, view_of<Op>(attrs), false, where},
      results);
  return results;
}

// What users call for a pointwise op without attributes: exp(x), add(x, 2), where(c, x, y).
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

// The same op with the result written into its first operand, which is returned: add_(x, y),
// exp_(x). The result must fit x's sizes and be castable to its dtype.
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

// ---- bases that definitions derive from ----

struct Pointwise {
  static constexpr OpKind kind = OpKind::pointwise;
  static constexpr Promote promote = Promote::arithmetic;
  static constexpr bool first_is_condition = false, uses_index = false, uses_attrs = false;
  static constexpr bool first_is_shape = false;  // of operand 0 only sizes and dtype are used
  static constexpr bool integer_divisor = false;
  static constexpr int copied_operand = -1;  // the body gives this operand as it is
  static constexpr Numbers numbers = Numbers::rounded;
  static constexpr Accepts accepts = Accepts::all;
};
// One of kind composite has a program in other ops, which is what graphs have, and a body that
// gives the same bits in one visit where nothing is rounded to less than is computed in: what runs
// programs op by op (eager) prefers it.
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
// One that ATen has of two tensors alone.
struct TensorBinary : Binary {
  static constexpr std::string_view signatures = "(Tensor self, Tensor other) -> Tensor";
};
struct Ternary : Pointwise {
  static constexpr int arity = 3;
};

// ---- gradients ----

// In a tuple of gradients: the operand has none.
struct NoGradient {};
inline constexpr NoGradient no_gradient;

// Whether a struct has a member `vjp`, which as a template has no address: its name is found twice.
struct NamesVjp {
  int vjp;
};
template <class Op>
struct NamesVjpTwice : Op, NamesVjp {};
template <class Op>
concept HasVjp = !requires { &NamesVjpTwice<Op>::vjp; };

}  // namespace vitro::ops
