// The rules of ops that compute each complex number of the result from those at the same place.
#include <algorithm>
#include <array>
#include <cmath>

#include "ops/complex_calls.h"
#include "ops/complex_product.h"
#include "ops/functions.h"
#include "ops/parts_by_formula.h"
#include "ops/wide.h"
#include "vitro/base/error.h"
#include "vitro/core/interpreter.h"
#include "vitro/ops/binary.h"
#include "vitro/ops/choose.h"
#include "vitro/ops/create.h"
#include "vitro/ops/unary.h"
#include "vitro/ops/view.h"

namespace vitro::ops {
namespace {

Parts add(const Parts& a, const Parts& b) {
  return a + b;
}
Parts subtract(const Parts& a, const Parts& b) {
  return a - b;
}
Parts multiply(const Parts& a, const Parts& b) {
  return a * b;
}

// Eager kernels are several times faster on dense operands, and a formula reads each part more than
// once: large parts are copied first, in the order of their strides.
Parts dense_parts(const ComplexCall& call, size_t i, DType dtype) {
  constexpr int64_t large = 2048;
  Parts z = call.parts(i, dtype);
  if (thread_state.top || z.is_real() || z.re.numel().hint() < large) return z;
  return {clone(z.re), clone(z.im)};
}

template <Parts (*f)(const Parts&)>
void unary(ComplexCall& call) {
  call.set(f(dense_parts(call, 0, call.dtype())));
}

// A function with its derivative at z, where it is y. That of the program is not defined on an
// axis, where the absolute value of one part has an edge although the function has none.
using Derivative = Parts (*)(const Parts& z, const Parts& y);
template <Parts (*f)(const Parts&), Derivative derivative>
struct Analytic : OfParts {
  static constexpr std::string_view name = "function",
                                    signatures = "(Tensor self, Tensor imag) -> (Tensor, Tensor)";
  static constexpr int arity = 2;
  static void shape(ShapeCall& call) {
    for (int k = 0; k < 2; ++k)
      shape_of_pointwise(call, {Promote::arithmetic, false, false}, Accepts::floating);
  }
  static void expand(std::span<const Operand> operands, AttrsView, std::span<Tensor> results) {
    set(results, f(operand(operands, 0)));
  }
  static void gradient(Formula& formula) {
    const Parts slope = derivative(operand(formula, 0), result(formula));
    set(formula, 0, gradient_of(formula) * conjugate(slope));
  }
};
template <Parts (*f)(const Parts&), Derivative derivative>
Parts value_of(const Parts& z) {
  return is_recorded(z) ? call_of_parts<Analytic<f, derivative>>({z.re, z.imaginary()}) : f(z);
}
template <Parts (*f)(const Parts&), Derivative derivative>
void analytic(ComplexCall& call) {
  call.set(value_of<f, derivative>(dense_parts(call, 0, call.dtype())));
}

Parts one_plus(const Parts& z) {
  return {z.re + 1, z.im};
}
Parts one_less(const Parts& z) {
  return {1 - z.re, -z.im};
}
Parts times_i(const Parts& z) {
  return {-z.im, z.re};
}
Parts of_sqrt(const Parts&, const Parts& y) {
  return reciprocal(y * 2);
}
Parts root(const Parts& z) {
  return value_of<&sqrt, &of_sqrt>(z);
}
Parts of_rsqrt(const Parts&, const Parts& y) {
  return y * y * y * -0.5;
}
Parts of_log(const Parts& z, const Parts&) {
  return reciprocal(z);
}
Parts of_log2(const Parts& z, const Parts&) {
  return reciprocal(z) * (1 / M_LN2);
}
Parts of_log10(const Parts& z, const Parts&) {
  return reciprocal(z) * (1 / M_LN10);
}
Parts of_asin(const Parts& z, const Parts&) {
  return reciprocal(root(one_less(z)) * root(one_plus(z)));
}
Parts of_acos(const Parts& z, const Parts& y) {
  return -of_asin(z, y);
}
Parts of_asinh(const Parts& z, const Parts& y) {
  return of_asin(times_i(z), y);
}
Parts of_acosh(const Parts& z, const Parts&) {
  return reciprocal(root(-one_less(z)) * root(one_plus(z)));
}
Parts of_atanh(const Parts& z, const Parts&) {
  return reciprocal(one_less(z) * one_plus(z));
}
Parts of_atan(const Parts& z, const Parts& y) {
  return of_atanh(times_i(z), y);
}

template <Parts (*f)(const Parts&, const Parts&)>
void binary(ComplexCall& call) {
  const DType dtype = call.dtype();
  call.set(f(dense_parts(call, 0, dtype), dense_parts(call, 1, dtype)));
}

bool is_real(const Operand& operand) {
  return operand.is_tensor() ? !operand.tensor().is_complex() : !operand.number().is_complex();
}
// Whether two complex operands may be given to a kernel that has no gradient.
bool takes_one_visit(const ComplexCall& call) {
  const auto fits = [&](size_t i) {
    const Operand& operand = call.operand(i);
    return !is_real(operand) && !(operand.is_tensor() && is_recorded(operand.tensor()));
  };
  return !thread_state.top && fits(0) && fits(1);
}

// A factor that is a real number multiplies both parts alike. Eager calls have one kernel for the
// product of two complex tensors.
void product(ComplexCall& call) {
  const DType dtype = call.dtype();
  for (const size_t i : {size_t{0}, size_t{1}}) {
    if (call.operand(i).is_number() && is_real(call.operand(i)))
      return call.set(
          Tensor::as_complex(mul(call.complex(1 - i, dtype).pairs(), call.operand(i).number())));
  }
  if (takes_one_visit(call)) {
    const size_t first = call.operand(0).is_tensor() && call.tensor(0).rank() > 0 ? 0 : 1;
    const Tensor a = call.complex(first, dtype), b = call.complex(1 - first, dtype);
    if (auto made = product_in_one_visit(a, b, call.call().where)) return call.set(*made);
  }
  binary<&multiply>(call);
}

// The formula begins with the divisor: gives the quotient the layout that the dividend has.
Parts in_layout_of(const Value& dividend, const Parts& made) {
  const bool decides = dividend.rank() > 0 && equal_sizes(dividend.sizes(), made.re.sizes());
  if (!decides || equal_sizes(strides_like(dividend.rule_meta()), made.re.strides())) return made;
  return {copy(dividend, made.re), made.is_real() ? Value() : Value(copy(dividend, made.im))};
}
void quotient(ComplexCall& call) {
  const DType dtype = call.dtype();
  if (takes_one_visit(call)) {
    const Tensor a = call.complex(0, dtype), b = call.complex(1, dtype);
    if (auto made = quotient_in_one_visit(a, b, call.call().where)) return call.set(*made);
  }
  const Parts a = dense_parts(call, 0, dtype), b = dense_parts(call, 1, dtype);
  call.set(in_layout_of(a.re, a / b));
}

// Ops whose result is that on the parts, of two complex tensors in one visit of their pairs.
void check_sizes(const ComplexCall& call) {
  (void)broadcast(call.op().name, call.tensor(0).sizes(), call.tensor(1).sizes());
}
bool both_are_complex(const ComplexCall& call) {
  return call.operand(0).is_tensor() && call.operand(1).is_tensor() &&
         call.tensor(0).is_complex() && call.tensor(1).is_complex();
}
void sum_of_two(ComplexCall& call, ComplexRule otherwise) {
  if (!both_are_complex(call)) return otherwise(call);
  check_sizes(call);
  const DType dtype = call.dtype();
  const Tensor pairs[] = {call.complex(0, dtype).pairs(), call.complex(1, dtype).pairs()};
  const Operand operands[] = {pairs[0], pairs[1]};
  Tensor sum;
  vitro::call(OpCall{&call.op(), operands, {}, false, call.call().where}, {&sum, 1});
  call.set(Tensor::as_complex(sum));
}
void sum(ComplexCall& call) {
  sum_of_two(call, &binary<&add>);
}
void difference(ComplexCall& call) {
  for (size_t i = 0; i < 2; ++i) check_subtracted(call.operand(i));
  sum_of_two(call, &binary<&subtract>);
}
void negative(ComplexCall& call) {
  call.set(Tensor::as_complex(neg(call.tensor(0).pairs())));
}

void absolute(ComplexCall& call) {
  VITRO_CHECK(!call.call().in_place,
              "abs_: the absolute value of a complex number is real and "
              "cannot be stored in its place; call abs instead");
  call.set(modulus(dense_parts(call, 0, call.dtype())));
}

Value is_nonzero(const Parts& z) {
  const Value re = z.re != 0;
  return z.is_real() ? re : re | (z.im != 0);
}
Value truth(const ComplexCall& call, size_t i) {
  return is_nonzero(call.parts(i));
}
template <Value (*f)(const Tensor&)>
void any_part(ComplexCall& call) {
  const Parts z = call.parts(0);
  call.set(z.is_real() ? f(z.re) : f(z.re) | f(z.im));
}
void logical_not_rule(ComplexCall& call) {
  call.set(logical_not(truth(call, 0)));
}
// Logical ops, and reductions: of bool instead.
void of_truth(ComplexCall& call) {
  std::vector<Tensor> truths(call.count());
  std::vector<Operand> operands;
  for (size_t i = 0; i < call.count(); ++i) operands.emplace_back(truths[i] = truth(call, i));
  vitro::call(OpCall{&call.op(), operands, call.attrs(), false, call.call().where}, call.results());
}
void equality(ComplexCall& call) {
  const DType dtype = call.dtype();
  const Parts a = call.parts(0, dtype), b = call.parts(1, dtype);
  const Value same = (a.re == b.re) & (a.imaginary() == b.imaginary());
  call.set(call.op().name == "eq" ? same : Value(logical_not(same)));
}

// a + alpha * b, or a - alpha * b.
void scaled(ComplexCall& call) {
  const bool subtracts = call.op().name == "sub_scaled";
  for (size_t i = 0; subtracts && i < 2; ++i) check_subtracted(call.operand(i));
  const DType dtype = call.dtype();
  const Parts b = call.parts(1, dtype) * call.parts(2, dtype);
  call.set(call.parts(0, dtype) + (subtracts ? -b : b));
}
void cube(ComplexCall& call) {
  const Parts z = call.parts(0);
  call.set(z * z * z);
}

// As torch does for these exponents, which are then exact.
std::optional<Parts> simple_power(const Parts& z, const std::complex<double>& exponent) {
  if (exponent.imag() != 0) return {};
  const double e = exponent.real();
  if (e == 0) return Parts{ones_like(z.re), {}};
  if (e == 1) return z;
  if (e == 2) return z * z;
  if (e == 3) return z * z * z;
  if (e == 0.5) return root(z);
  if (e == -0.5) return value_of<&rsqrt, &of_rsqrt>(z);
  if (e == -1) return reciprocal(z);
  if (e == -2) return reciprocal(z * z);
  return {};
}
void power(ComplexCall& call) {
  const DType dtype = call.dtype();
  const Parts base = call.parts(0, dtype);
  if (call.operand(1).is_number() && !call.operand(1).number().is_symbolic()) {
    if (const auto simple = simple_power(base, call.operand(1).number().as_complex()))
      return call.set(*simple);
  }
  call.set(pow(base, call.parts(1, dtype)));
}

void select_rule(ComplexCall& call) {
  const Operand& chosen = call.operand(0);
  VITRO_CHECK(!(chosen.is_tensor() ? chosen.tensor().is_complex() : chosen.number().is_complex()),
              "where: the condition must be bool, got complex numbers");
  const DType dtype = call.dtype(1);
  const Parts a = call.parts(1, dtype), b = call.parts(2, dtype);
  const Tensor& condition = call.tensor(0);
  call.set(Parts{where(condition, a.re, b.re), where(condition, a.imaginary(), b.imaginary())});
}

constexpr std::array rules = std::to_array<NamedRule>({
    {"abs", &absolute},
    {"acos", &analytic<&acos, &of_acos>},
    {"acosh", &analytic<&acosh, &of_acosh>},
    {"add", &sum},
    {"add_scaled", &scaled},
    {"all", &of_truth},
    {"any", &of_truth},
    {"asin", &analytic<&asin, &of_asin>},
    {"asinh", &analytic<&asinh, &of_asinh>},
    {"atan", &analytic<&atan, &of_atan>},
    {"atanh", &analytic<&atanh, &of_atanh>},
    {"cos", &unary<&cos>},
    {"cosh", &unary<&cosh>},
    {"cube", &cube},
    {"div", &quotient},
    {"eq", &equality},
    {"exp", &unary<&exp>},
    {"exp2", &unary<&exp2>},
    {"expm1", &unary<&expm1>},
    {"isinf", &any_part<&isinf>},
    {"isnan", &any_part<&isnan>},
    {"log", &analytic<&log, &of_log>},
    {"log10", &analytic<&log10, &of_log10>},
    {"log1p", &unary<&log1p>},
    {"log2", &analytic<&log2, &of_log2>},
    {"logical_and", &of_truth},
    {"logical_not", &logical_not_rule},
    {"logical_or", &of_truth},
    {"logical_xor", &of_truth},
    {"mul", &product},
    {"ne", &equality},
    {"neg", &negative},
    {"nonzero", &of_truth},
    {"pow", &power},
    {"reciprocal", &unary<&reciprocal>},
    {"rsqrt", &analytic<&rsqrt, &of_rsqrt>},
    {"sigmoid", &unary<&sigmoid>},
    {"silu", &unary<&silu>},
    {"sin", &unary<&sin>},
    {"sinh", &unary<&sinh>},
    {"sqrt", &analytic<&sqrt, &of_sqrt>},
    {"sub", &difference},
    {"sub_scaled", &scaled},
    {"tan", &unary<&tan>},
    {"tanh", &unary<&tanh>},
    {"where", &select_rule},
});
static_assert(std::ranges::is_sorted(rules, {}, &NamedRule::op));

}  // namespace

std::span<const NamedRule> complex_elementwise_rules() {
  return rules;
}

}  // namespace vitro::ops
