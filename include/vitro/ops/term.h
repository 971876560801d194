// Bodies on tensors and plain numbers, as the gradient of a pointwise op needs them: its operands
// may be either.
//   Term g = f.gradient(), x = f.operand(0);   Term of_x = ops::Mul::vjp(...);
// A function of terms is a call of the op of that name, and numbers stay numbers in it: they take
// part in promotion as numbers do, and no tensor is made of them.  Of numbers alone arithmetic and
// comparisons are computed in f64.
// This header is for those who instantiate vjp_gradient: of an op that stands in the list of
// ops/all.h the library does.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "vitro/core/formula.h"
#include "vitro/ops/define.h"
#include "vitro/ops/math.h"

namespace vitro::ops {

class Term {
 public:
  Term(Tensor tensor) : tensor_(std::move(tensor)) {}  // NOLINT(google-explicit-constructor)
  template <class N>
    requires std::is_arithmetic_v<N>
  Term(N number)  // NOLINT(google-explicit-constructor): literals convert
      : number_(number), is_number_(true) {}
  Term(const Operand& operand);  // NOLINT(google-explicit-constructor)

  bool is_number() const { return is_number_; }
  const Scalar& number() const { return number_; }
  const Tensor& tensor() const { return tensor_; }  // undefined where it is a number
  Operand operand() const { return is_number_ ? Operand(number_) : Operand(tensor_); }

  friend Term operator+(const Term& a, const Term& b);
  friend Term operator-(const Term& a, const Term& b);
  friend Term operator*(const Term& a, const Term& b);
  friend Term operator/(const Term& a, const Term& b);
  friend Term operator-(const Term& x);
  friend Term operator==(const Term& a, const Term& b);
  friend Term operator!=(const Term& a, const Term& b);
  friend Term operator<(const Term& a, const Term& b);
  friend Term operator<=(const Term& a, const Term& b);
  friend Term operator>(const Term& a, const Term& b);
  friend Term operator>=(const Term& a, const Term& b);
  friend Term operator&&(const Term& a, const Term& b);
  friend Term operator||(const Term& a, const Term& b);
  friend Term operator!(const Term& x);
  friend Term where(const Term& condition, const Term& a, const Term& b);
  friend Term like(const Term&, const Term& a) { return a; }

#define VITRO_TERM_1(name) friend Term name(const Term& x);
#define VITRO_TERM_2(name) friend Term name(const Term& a, const Term& b);
#define VITRO_TERM_3(name)
#define VITRO_TERM(name, operands, ...) VITRO_TERM_##operands(name)
  VITRO_SCALAR_FUNCTIONS(VITRO_TERM)
#undef VITRO_TERM
#undef VITRO_TERM_1
#undef VITRO_TERM_2
#undef VITRO_TERM_3

 private:
  Tensor tensor_;
  Scalar number_;
  bool is_number_ = false;
};

// Sets the gradient of operand i; a number, which is 0, sets none.
void set_term(Formula& f, size_t i, const Term& gradient);

template <class G>
void set_gradient(Formula& f, size_t i, const G& gradient) {
  if constexpr (std::is_invocable_v<const G&>) {
    if (f.wants(i)) set_gradient(f, i, gradient());
  } else if constexpr (!std::is_same_v<G, NoGradient>) {
    set_term(f, i, gradient);
  }
}

template <class Op, size_t... i>
auto call_vjp(const Formula& f, std::index_sequence<i...>) {
  const Term g = f.gradient(), y = f.result();
  if constexpr (Op::uses_attrs) {
    return Op::vjp(f.attrs<typename Op::Attrs>(), g, Term(f.operand(i))..., y);
  } else {
    return Op::vjp(g, Term(f.operand(i))..., y);
  }
}

template <class... G, size_t... i>
void set_gradients(Formula& f, const std::tuple<G...>& all, std::index_sequence<i...>) {
  (set_gradient(f, i, std::get<i>(all)), ...);
}
template <class... G>
void set_gradients(Formula& f, const std::tuple<G...>& all) {
  set_gradients(f, all, std::index_sequence_for<G...>());
}
void set_gradients(Formula& f, const Term& one);

template <class Op>
void vjp_gradient(Formula& f) {
  set_gradients(f, call_vjp<Op>(f, std::make_index_sequence<size_t{Op::arity}>()));
}

}  // namespace vitro::ops
