// Runs bodies on tensors and plain numbers: the operands of a pointwise gradient may be either.
//   Terms terms;
//   Term g = terms.of(f.gradient()), x = terms.of(f.operand(0));   Term of_x = g * exp(x);
// A function of terms calls the op of that name. Numbers stay numbers: they promote as numbers do,
// and no tensor is made of them. If all operands are numbers, arithmetic and comparisons are
// computed in f64; other functions make the first operand a tensor.
// Include this only to instantiate vjp_gradient for an op that is not in the list of ops/all.h; the
// library has the others.
#pragma once

#include <deque>
#include <tuple>
#include <type_traits>
#include <utility>

#include "vitro/base/error.h"
#include "vitro/core/formula.h"
#include "vitro/ops/define.h"
#include "vitro/ops/math.h"

namespace vitro::ops {

class Terms;

// Two words without a destructor, which keeps the code of a formula small.
class Term {
 public:
  template <class N>
    requires std::is_arithmetic_v<N>
  Term(N number)  // NOLINT(google-explicit-constructor): literals convert
      : literal_(static_cast<double>(number)) {}

  bool is_literal() const { return !terms_; }
  bool is_number() const { return !terms_ || operand_->is_number(); }
  Scalar number() const { return terms_ ? operand_->number() : Scalar(literal_); }
  const Tensor& tensor() const { return operand_->tensor(); }  // if not a number
  Operand operand() const { return terms_ ? *operand_ : Operand(literal_); }

  friend Term operator+(Term a, Term b);
  friend Term operator-(Term a, Term b);
  friend Term operator*(Term a, Term b);
  friend Term operator/(Term a, Term b);
  friend Term operator-(Term x);
  friend Term operator==(Term a, Term b);
  friend Term operator!=(Term a, Term b);
  friend Term operator<(Term a, Term b);
  friend Term operator<=(Term a, Term b);
  friend Term operator>(Term a, Term b);
  friend Term operator>=(Term a, Term b);
  friend Term operator&&(Term a, Term b);
  friend Term operator||(Term a, Term b);
  friend Term operator!(Term x);
  friend Term where(Term condition, Term a, Term b);
  friend Term like(Term, Term a) { return a; }

#define VITRO_TERM_1(name) friend Term name(Term x);
#define VITRO_TERM_2(name) friend Term name(Term a, Term b);
#define VITRO_TERM_3(name)
#define VITRO_TERM(name, operands, ...) VITRO_TERM_##operands(name)
  VITRO_SCALAR_FUNCTIONS(VITRO_TERM)
#undef VITRO_TERM
#undef VITRO_TERM_1
#undef VITRO_TERM_2
#undef VITRO_TERM_3

 private:
  friend class Terms;
  Term(Terms* terms, const Operand* operand) : terms_(terms), operand_(operand) {}

  Terms* terms_ = nullptr;  // null: a literal
  union {
    double literal_;
    const Operand* operand_;
  };
};

// Owns the operands and results of one formula.
class Terms {
 public:
  Terms();
  ~Terms();
  Terms(const Terms&) = delete;
  Terms& operator=(const Terms&) = delete;
  Term of(const Operand& operand) { return {this, &operand}; }  // borrowed
  Term of(const Tensor& tensor);
  Term of(double number);
  // The Terms of a or b, at least one of which is not a literal.
  static Terms& at(Term a, Term b) {
    VITRO_ASSERT(a.terms_ || b.terms_, "a function of literals alone");
    return a.terms_ ? *a.terms_ : *b.terms_;
  }

 private:
  struct Kept {
    Tensor tensor;
    Operand operand;
  };
  std::deque<Kept> kept_;  // a deque: terms point to the elements
};

// Sets the gradient of operand i. A number must be 0.
void set_term(Formula& f, size_t i, Term gradient);

template <class G>
void set_gradient(Formula& f, size_t i, const G& gradient) {
  if constexpr (std::is_invocable_v<const G&>) {
    if (f.wants(i)) set_gradient(f, i, gradient());
  } else if constexpr (!std::is_same_v<G, NoGradient>) {
    set_term(f, i, gradient);
  }
}

template <class Op, size_t... i>
auto call_vjp(const Formula& f, Terms& terms, std::index_sequence<i...>) {
  const Term g = terms.of(f.gradient()), y = terms.of(f.result());
  if constexpr (Op::uses_attrs) {
    return Op::vjp(f.attrs<typename Op::Attrs>(), g, terms.of(f.operand(i))..., y);
  } else {
    return Op::vjp(g, terms.of(f.operand(i))..., y);
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
void set_gradients(Formula& f, Term one);

template <class Op>
void vjp_gradient(Formula& f) {
  Terms terms;
  set_gradients(f, call_vjp<Op>(f, terms, std::make_index_sequence<size_t{Op::arity}>()));
}

}  // namespace vitro::ops
