// Calls with complex operands, as calls on the real and imaginary parts: finds the rule of the op,
// runs it, and writes the result of a call in place.  The rules are in complex_elementwise.cpp,
// complex_decompositions.cpp and complex_layout.cpp.
#include "ops/complex_calls.h"

#include <algorithm>

#include "vitro/base/error.h"
#include "vitro/core/region.h"
#include "vitro/ops/create.h"
#include "vitro/ops/view.h"

namespace vitro::ops {

const Tensor& ComplexCall::tensor(size_t i) const {
  VITRO_CHECK(i < count() && operand(i).is_tensor(), op().name, ": operand ", i,
              " must be a tensor");
  return operand(i).tensor();
}

void add_to(Promotion& all, const Operand& operand) {
  if (operand.is_number()) all.add(operand.number().dtype(), Promotion::Rank::number);
  if (!operand.is_tensor()) return;
  const Tensor& x = operand.tensor();
  all.add(x.dtype(), x.rank() == 0 ? Promotion::Rank::zero_dim : Promotion::Rank::dimensioned);
}

DType ComplexCall::dtype(size_t first) const {
  Promotion all;
  for (size_t i = first; i < count(); ++i) add_to(all, operand(i));
  return complex_of(all.result());
}

Parts ComplexCall::parts(size_t i, DType dtype) const {
  const DType real = real_of(dtype);
  if (operand(i).is_number()) {
    const Scalar& number = operand(i).number();
    const Device device = device_of(call_);
    if (!number.is_complex()) return {scalar_tensor(number, real, device), {}};
    const std::complex<double> z = number.as_complex();
    return {scalar_tensor(z.real(), real, device), scalar_tensor(z.imag(), real, device)};
  }
  Parts z = parts_of(tensor(i));
  z.re = to(z.re, real);
  if (!z.is_real()) z.im = to(z.im, real);
  return z;
}

Tensor ComplexCall::complex(size_t i, DType dtype) const {
  if (operand(i).is_tensor() && tensor(i).is_complex())
    return Tensor::as_complex(to(tensor(i).pairs(), real_of(dtype)));
  return joined(parts(i, dtype));
}

Attrs with(AttrsView attrs, std::string_view name, const ArgValue& value) {
  const std::shared_ptr<void> made = attrs.type->make();
  for (const NamedArg& one : attrs.type->values(attrs.data))
    (void)attrs.type->assign(made.get(), one.name, one.name == name ? value : one.value);
  return Attrs(made, attrs.type);
}

namespace {

ComplexRule rule_of(std::string_view op) {
  for (const std::span<const NamedRule> rules :
       {complex_elementwise_rules(), complex_layout_rules(), complex_decomposition_rules()}) {
    const auto found = std::ranges::lower_bound(rules, op, {}, &NamedRule::op);
    if (found != rules.end() && found->op == op) return found->rule;
  }
  return nullptr;
}

// The complex dtype because of which the call is one of complex numbers.
DType complex_dtype(const OpCall& call) {
  for (const Operand& operand : call.operands) {
    if (operand.is_tensor() && operand.tensor().is_complex()) return operand.tensor().dtype();
    if (operand.is_number() && operand.number().is_complex()) return DType::c128;
  }
  return *call.attrs.type->dtype(call.attrs.data);
}

void write(const OpCall& call, const Tensor& result) {
  const Tensor& target = call.operands[0].tensor();
  check_in_place(*call.op, target.rule_meta(), result.rule_meta());
  if (target.is_complex() && result.is_complex()) {
    copy_(target.pairs(), result.pairs(), call.where);
  } else {
    copy_(target, result, call.where);
  }
}

// Whether it is a function of complex numbers, which takes many real ops; arithmetic takes few.
bool is_function(const OpCall& call) {
  const PointwiseInfo* info = call.op->pointwise;
  return info && info->copied_operand < 0 && call.operands.size() == 1 &&
         call.operands[0].is_tensor();
}

void run(const OpCall& call, std::span<Tensor> results) {
  const ComplexRule rule = rule_of(call.op->name);
  VITRO_CHECK(rule, call.op->name, call.in_place ? "_" : "",
              ": does not take complex numbers, got ", complex_dtype(call),
              "; pass real(x), imag(x), abs(x) or view_as_real(x)");
  if (!call.in_place) {
    ComplexCall complex(call, results);
    if (!is_function(call)) return rule(complex);
    const Tensor* const z = &call.operands[0].tensor();
    return run_region(call.op->name, {&z, 1}, [&] { rule(complex); });
  }
  std::vector<Tensor> made(results.size());
  ComplexCall complex(call, made);
  rule(complex);
  if (made[0].defined()) write(call, made[0]);  // else the rule has written it
  results[0] = call.operands[0].tensor();
}

const struct AtLoad {
  AtLoad() { set_complex_caller(&run); }
} at_load;

}  // namespace
}  // namespace vitro::ops
