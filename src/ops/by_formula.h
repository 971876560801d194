// Functions that are written with ops and have a formula for their gradient: of their programs the
// gradient is not defined everywhere that the function has one, or is not that of the function.
//   struct Lgamma : FormulaOfOne<Lgamma> {
//     static constexpr std::string_view name = "lgamma";
//     static Tensor program(const Tensor& x);
//     static void gradient(Formula& f) { f.set(0, wide_gradient(f) * digamma(...)); }
//   };
//   Tensor lgamma(At x) { return by_formula<Lgamma>(x.where, {x.operand}); }
// Only a call that is recorded for a gradient is one of an op, whose operands the tape keeps; any
// other call runs the program. Graphs contain the program either way.
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <source_location>
#include <span>
#include <string_view>

#include "vitro/core/autocast.h"
#include "vitro/core/formula.h"
#include "vitro/ops/definition.h"

namespace vitro::ops {

struct ByFormula {
  static constexpr OpKind kind = OpKind::composite;
  static constexpr std::string_view doc = "A function with a formula for its gradient.";
};
// Of floating-point elements; the result has the operand's dtype.
template <class F>
struct FormulaOfOne : ByFormula {
  static constexpr std::string_view signatures = "(Tensor self) -> Tensor";
  static constexpr int arity = 1;
  static void shape(ShapeCall& call) {
    shape_of_pointwise(call, {Promote::arithmetic, false, false}, Accepts::floating);
  }
  static void expand(std::span<const Operand> operands, AttrsView, std::span<Tensor> results) {
    results[0] = F::program(operands[0].tensor());
  }
};
// Of the elements of two tensors, which are broadcast and promoted.
template <class F>
struct FormulaOfTwo : ByFormula {
  static constexpr std::string_view signatures = "(Tensor self, Tensor other) -> Tensor";
  static constexpr int arity = 2;
  static void shape(ShapeCall& call) {
    shape_of_pointwise(call, {Promote::arithmetic, false, false}, Accepts::floating);
  }
  static void expand(std::span<const Operand> operands, AttrsView, std::span<Tensor> results) {
    results[0] = F::program(operands[0].tensor(), operands[1].tensor());
  }
};

// Complex operands have no formula.
inline bool has_formula(std::initializer_list<Operand> operands) {
  const auto any = [&](auto is) {
    return std::ranges::any_of(operands,
                               [&](const Operand& o) { return o.is_tensor() && is(o.tensor()); });
  };
  return any([](const Tensor& t) { return is_recorded(t); }) &&
         !any([](const Tensor& t) { return t.is_complex(); });
}

template <class F>
Tensor by_formula(std::source_location where, std::initializer_list<Operand> operands) {
  if (has_formula(operands)) return call<F>(where, operands);
  const WithoutAutocast as_if_it_had;
  Tensor result;
  F::expand({operands.begin(), operands.size()}, {}, {&result, 1});
  return result;
}
template <class F>
Tensor by_formula(std::source_location where, std::initializer_list<Operand> operands,
                  const typename F::Attrs& attrs) {
  if (has_formula(operands)) return call<F>(where, operands, attrs);
  const WithoutAutocast as_if_it_had;
  Tensor result;
  F::expand({operands.begin(), operands.size()}, attrs_view<F>(attrs), {&result, 1});
  return result;
}

// The same with several results.
template <class F, size_t n>
std::array<Tensor, n> many_by_formula(std::initializer_list<Operand> operands) {
  const std::span<const Operand> given(operands.begin(), operands.size());
  std::array<Tensor, n> results;
  if (has_formula(operands)) {
    vitro::call(OpCall{&def<F>(), given, {}, false, {}}, results);
    return results;
  }
  const WithoutAutocast as_if_it_had;
  F::expand(given, {}, results);
  return results;
}

}  // namespace vitro::ops
