// The gradients of pointwise ops: their bodies `vjp` on tensors, and the few that are no bodies.
#include <array>

#include "vitro/ops/all.h"
#include "vitro/ops/tensor_functions.h"
#include "vitro/ops/term.h"

namespace vitro::ops {

Term::Term(const Operand& operand) : is_number_(operand.is_number()) {
  if (is_number_) {
    number_ = operand.number();
  } else if (operand.is_tensor()) {
    tensor_ = operand.tensor();
  }
}

namespace {

bool are_numbers(const Term& a, const Term& b) {
  return a.is_number() && b.is_number();
}

Tensor as_tensor(const Term& x) {
  return x.is_number() ? scalar_tensor(x.number(), DType::f64) : x.tensor();
}

First as_first(const Term& x) {
  First out(Scalar(0), {});
  out.operand = x.operand();
  return out;
}

Term call_of(const OpDef& op, const Term& a, const Term& b) {
  const Operand operands[] = {a.operand(), b.operand()};
  return call_one(op, operands, {}, {});
}

}  // namespace

#define VITRO_TERM(sign, op)                                   \
  Term operator sign(const Term& a, const Term& b) {           \
    if (!are_numbers(a, b)) return call_of(def<op>(), a, b);   \
    return a.number().as_double() sign b.number().as_double(); \
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

Term operator&&(const Term& a, const Term& b) {
  if (!are_numbers(a, b)) return call_of(def<LogicalAnd>(), a, b);
  return a.number().as_bool() && b.number().as_bool();
}
Term operator||(const Term& a, const Term& b) {
  if (!are_numbers(a, b)) return call_of(def<LogicalOr>(), a, b);
  return a.number().as_bool() || b.number().as_bool();
}
Term operator!(const Term& x) {
  return x.is_number() ? Term(!x.number().as_bool()) : Term(logical_not(x.tensor()));
}
Term operator-(const Term& x) {
  return x.is_number() ? Term(-x.number().as_double()) : Term(neg(x.tensor()));
}
Term where(const Term& condition, const Term& a, const Term& b) {
  if (condition.is_number()) return condition.number().as_bool() ? a : b;
  return call<Where>({}, {condition.tensor(), a.operand(), b.operand()});
}

#define VITRO_TERM_1(name)                               \
  Term name(const Term& x) {                             \
    return tensor_functions::called::name(as_tensor(x)); \
  }
#define VITRO_TERM_2(name)                                           \
  Term name(const Term& a, const Term& b) {                          \
    return tensor_functions::called::name(as_first(a), b.operand()); \
  }
#define VITRO_TERM_3(name)
#define VITRO_TERM(name, operands, ...) VITRO_TERM_##operands(name)
VITRO_SCALAR_FUNCTIONS(VITRO_TERM)
#undef VITRO_TERM
#undef VITRO_TERM_1
#undef VITRO_TERM_2
#undef VITRO_TERM_3

void set_term(Formula& f, size_t i, const Term& gradient) {
  VITRO_ASSERT(!gradient.is_number() || gradient.number().is(0), "the gradient of ", f.op().name,
               " is the number ", gradient.number());
  if (!gradient.is_number()) f.set(i, gradient.tensor());
}

void set_gradients(Formula& f, const Term& one) {
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

// Made here, and nowhere else.
[[gnu::used]] constinit const auto formulas =
    formulas_of(decltype(joined(PointwiseOps{}, PointwisePrograms{})){});

}  // namespace

namespace {

// Beside a bound, a plain number, x keeps all of its gradient where it lies on the bound.
void beside_bound(Formula& f, const OpDef& within) {
  const size_t x = f.has(0) ? 0 : 1;
  const Term kept = call_of(within, f.operand(x), f.operand(1 - x));
  f.set(x, vitro::where(kept.tensor(), f.gradient(), 0));
}

}  // namespace

void Minimum::gradient(Formula& f) {
  f.has(0) && f.has(1) ? vjp_gradient<Minimum>(f) : beside_bound(f, def<Le>());
}
void Maximum::gradient(Formula& f) {
  f.has(0) && f.has(1) ? vjp_gradient<Maximum>(f) : beside_bound(f, def<Ge>());
}

// The same triangle of the gradient.
void Triangle::gradient(Formula& f) {
  f.set(0, call_one(f.op(), std::array{Operand(f.gradient())}, f.attrs(), {}));
}

}  // namespace vitro::ops
