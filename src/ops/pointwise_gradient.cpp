// Gradients of pointwise ops: runs bodies `vjp` on tensors, and has the few formulas without a
// body.
#include <array>
#include <cmath>

#include "vitro/ops/all.h"
#include "vitro/ops/tensor_functions.h"
#include "vitro/ops/term.h"

namespace vitro::ops {

Terms::Terms() = default;
Terms::~Terms() = default;

Term Terms::of(const Tensor& tensor) {
  Kept& kept = kept_.emplace_back(tensor, Operand());
  kept.operand = Operand(kept.tensor);
  return {this, &kept.operand};
}
Term Terms::of(double number) {
  return {this, &kept_.emplace_back(Tensor(), Operand(number)).operand};
}

namespace {

bool are_numbers(Term a, Term b) {
  return a.is_number() && b.is_number();
}

// The result of a function of two numbers.
Term number_of(Term a, Term b, double number) {
  return a.is_literal() && b.is_literal() ? Term(number) : Terms::at(a, b).of(number);
}

First as_first(Term x) {
  First out(Scalar(0), {});
  out.operand = x.operand();
  return out;
}

Tensor as_tensor(Term x) {
  return x.is_number() ? scalar_tensor(x.number(), DType::f64) : x.tensor();
}

Term call_of(const OpDef& op, Term a, Term b) {
  const Operand operands[] = {a.operand(), b.operand()};
  return Terms::at(a, b).of(call_one(op, operands, {}, {}));
}

}  // namespace

#define VITRO_TERM(sign, op)                                                    \
  Term operator sign(Term a, Term b) {                                          \
    if (!are_numbers(a, b)) return call_of(def<op>(), a, b);                    \
    return number_of(a, b, a.number().as_double() sign b.number().as_double()); \
  }
VITRO_TERM(+, Add)
VITRO_TERM(-, Sub)
VITRO_TERM(*, Mul)
VITRO_TERM(/, Div)
VITRO_TERM(==, Eq)
VITRO_TERM(!=, Ne)
VITRO_TERM(<, Lt)
VITRO_TERM(<=, Le)
VITRO_TERM(>, Gt)
VITRO_TERM(>=, Ge)
#undef VITRO_TERM

Term operator&&(Term a, Term b) {
  const auto is_false = [](Term x) { return x.is_number() && !x.number().as_bool(); };
  if (is_false(a) || is_false(b)) return false;
  return are_numbers(a, b) ? Term(true) : call_of(def<LogicalAnd>(), a, b);
}
Term operator||(Term a, Term b) {
  if (!are_numbers(a, b)) return call_of(def<LogicalOr>(), a, b);
  return a.number().as_bool() || b.number().as_bool();
}
Term operator!(Term x) {
  if (x.is_number()) return !x.number().as_bool();
  return Terms::at(x, x).of(logical_not(x.tensor()));
}
Term operator-(Term x) {
  if (x.is_number()) return number_of(x, x, -x.number().as_double());
  return Terms::at(x, x).of(neg(x.tensor()));
}
Term where(Term condition, Term a, Term b) {
  if (condition.is_number()) return condition.number().as_bool() ? a : b;
  if (!are_numbers(a, b))
    return Terms::at(condition, a)
        .of(call<Where>({}, {condition.tensor(), a.operand(), b.operand()}));
  const Tensor exact = as_tensor(b);  // Where would round two numbers to the default dtype
  return Terms::at(condition, a).of(call<Where>({}, {condition.tensor(), a.operand(), exact}));
}

#define VITRO_TERM_1(name)                                                   \
  Term name(Term x) {                                                        \
    return Terms::at(x, x).of(tensor_functions::called::name(as_tensor(x))); \
  }
#define VITRO_TERM_2(name)                                                               \
  Term name(Term a, Term b) {                                                            \
    return Terms::at(a, b).of(tensor_functions::called::name(as_first(a), b.operand())); \
  }
#define VITRO_TERM_3(name)
#define VITRO_TERM(name, operands, ...) VITRO_TERM_##operands(name)
VITRO_SCALAR_FUNCTIONS(VITRO_TERM)
#undef VITRO_TERM
#undef VITRO_TERM_1
#undef VITRO_TERM_2
#undef VITRO_TERM_3

void set_term(Formula& f, size_t i, Term gradient) {
  VITRO_ASSERT(!gradient.is_number() || gradient.number().is(0), "the gradient of ", f.op().name,
               " is the number ", gradient.number());
  // A gradient that is known to be 0 is one all the same: that of a leaf is defined, as PyTorch's.
  if (f.wants(i)) f.set(i, gradient.is_number() ? zeros_like(f.tensor(i)) : gradient.tensor());
}

void set_gradients(Formula& f, Term one) {
  set_term(f, 0, one);
}

namespace {

using FormulaFunction = void (*)(Formula&);

template <class Op>
constexpr FormulaFunction formula() {
  if constexpr (HasVjp<Op>) {
    return &vjp_gradient<Op>;
  } else {
    return nullptr;
  }
}
template <class... Op>
constexpr std::array<FormulaFunction, sizeof...(Op)> formulas_of(List<Op...>) {
  return {formula<Op>()...};
}

// Instantiates the formulas of all pointwise ops in the list.
[[gnu::used]] constinit const auto formulas =
    formulas_of(decltype(PointwiseOps{} + PointwisePrograms{}){});

}  // namespace

namespace {

// Operand x gets the gradient where it is `within` the bound, the bound where x is `beyond` it.
void with_one_bound(Formula& f, size_t x, size_t bound, const OpDef& within, const OpDef& beyond) {
  const auto where_it_is = [&](const OpDef& op) {
    const Tensor is = call_one(op, std::array{f.operand(x), f.operand(bound)}, {}, {});
    return vitro::where(is, f.gradient(), 0);
  };
  if (f.wants(x)) f.set(x, where_it_is(within));
  if (f.wants(bound)) f.set(bound, where_it_is(beyond));
}

bool is_infinite(const Operand& operand) {
  return operand.is_number() && std::isinf(operand.number().as_double());
}

}  // namespace

// Next to a plain number, x keeps all of its gradient on the bound.
void Minimum::gradient(Formula& f) {
  if (f.has(0) && f.has(1)) return vjp_gradient<Minimum>(f);
  const size_t x = f.has(0) ? 0 : 1;
  with_one_bound(f, x, 1 - x, def<Le>(), def<Gt>());
}
void Maximum::gradient(Formula& f) {
  if (f.has(0) && f.has(1)) return vjp_gradient<Maximum>(f);
  const size_t x = f.has(0) ? 0 : 1;
  with_one_bound(f, x, 1 - x, def<Ge>(), def<Lt>());
}
void Clamp::gradient(Formula& f) {
  if (is_infinite(f.operand(2))) return with_one_bound(f, 0, 1, def<Ge>(), def<Lt>());
  if (is_infinite(f.operand(1))) return with_one_bound(f, 0, 2, def<Le>(), def<Gt>());
  vjp_gradient<Clamp>(f);
}

// The same triangle of the gradient.
void Triangle::gradient(Formula& f) {
  f.set(0, call_one(f.op(), std::array{Operand(f.gradient())}, f.attrs(), {}));
}

}  // namespace vitro::ops
