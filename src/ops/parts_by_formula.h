// Functions of complex tensors, as real tensors of their parts, with a formula for the gradient
// (by_formula.h).
#pragma once

#include "ops/by_formula.h"
#include "ops/complex_parts.h"
#include "vitro/ops/create.h"

namespace vitro::ops {

inline bool is_recorded(const Parts& z) {
  return vitro::is_recorded(z.re) || vitro::is_recorded(z.im);
}
inline Parts conjugate(const Parts& z) {
  return {z.re, z.is_real() ? Value() : -z.im};
}

// The base of their definitions: operands are the parts of complex tensors, and so are the results.
struct OfParts : ByFormula {
  static Parts operand(std::span<const Operand> operands, size_t i) {
    return {operands[2 * i].tensor(), operands[2 * i + 1].tensor()};
  }
  static Parts operand(const Formula& f, size_t i) {
    return {f.tensor(2 * i), f.tensor(2 * i + 1)};
  }
  static Parts result(const Formula& f) { return {f.result(0), f.result(1)}; }
  static Parts gradient_of(const Formula& f) {
    const auto given = [&](size_t k) -> Value {
      return f.gradient(k).defined() ? f.gradient(k) : zeros_like(f.result(k));
    };
    return {given(0), given(1)};
  }
  static bool wants(const Formula& f, size_t i) { return f.wants(2 * i) || f.wants(2 * i + 1); }
  static void set(Formula& f, size_t i, const Parts& gradient) {
    f.set(2 * i, gradient.re);
    f.set(2 * i + 1, gradient.im);
  }
  static void set(std::span<Tensor> results, const Parts& made) {
    results[0] = made.re;
    results[1] = made.im;
  }
};
template <class F>
Parts call_of_parts(std::initializer_list<Operand> parts, AttrsView attrs = {}) {
  std::array<Tensor, 2> made;
  vitro::call(OpCall{&def<F>(), {parts.begin(), parts.size()}, attrs, false, {}}, made);
  return {made[0], made[1]};
}

}  // namespace vitro::ops
