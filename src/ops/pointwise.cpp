// Shape rules of pointwise ops that have their own, and the functions whose arguments choose among
// ops (alpha, rounding_mode).
#include "ops/by_formula.h"
#include "ops/fill_value.h"
#include "ops/wide.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/ops/activation.h"
#include "vitro/ops/binary.h"
#include "vitro/ops/choose.h"
#include "vitro/ops/create.h"
#include "vitro/ops/definition.h"
#include "vitro/ops/unary.h"

namespace vitro {
namespace ops {

namespace {

// Subtraction is not defined for bool.
void refuse_bool(bool is_truth) {
  VITRO_CHECK(!is_truth, "sub: bool cannot be subtracted; use bitwise_xor, or cast it");
}
void refuse_bool(std::span<const Argument> operands) {
  for (const Argument& a : operands)
    refuse_bool(a.meta ? is_bool(a.meta->dtype) : a.number->kind() == Scalar::Kind::boolean);
}

}  // namespace

void check_subtracted(const Operand& operand) {
  refuse_bool(operand.is_tensor() ? is_bool(operand.tensor().dtype())
                                  : operand.number().kind() == Scalar::Kind::boolean);
}

void Sub::shape(ShapeCall& call) {
  refuse_bool(call.operands);
  shape_of_pointwise(call, pointwise_info<Sub>, Accepts::all);
}

void Clamp::shape(ShapeCall& call) {
  shape_of_pointwise(call, pointwise_info<Clamp>, accepts);
  for (const Argument& bound : call.operands.subspan(1))
    if (bound.number) check_holds(call.op, call.results[0].dtype, *bound.number);
}

void Hardtanh::shape(ShapeCall& call) {
  VITRO_CHECK(call.operands[0].meta, "hardtanh: operand 0 must be a tensor");
  const TensorMeta& x = *call.operands[0].meta;
  VITRO_CHECK(!call.operands[1].meta && !call.operands[2].meta,
              "hardtanh: the bounds must be numbers, got a tensor; use clamp");
  const Scalar* low = call.operands[1].number;
  VITRO_CHECK(!is_bool(x.dtype), "hardtanh: takes numbers (not bool)");
  VITRO_CHECK(x.dtype != DType::u8 || !low || low->as_int() >= 0,
              "hardtanh: u8 has no negative numbers, got the bound ", *low);
  for (size_t i = 1; i < call.operands.size(); ++i)
    if (const Scalar* bound = call.operands[i].number)  // of integers rounded towards 0
      check_holds(call.op, x.dtype, is_floating(x.dtype) ? *bound : Scalar(bound->as_int()));
  call.results.push_back({x.dtype, x.device, x.sizes, strides_like(x), 0});
}

}  // namespace ops

namespace {

bool is_integral(const Operand& o) {
  return o.is_tensor() ? !is_floating(o.tensor().dtype()) : !o.number().is_floating();
}

// A plain number, or a tensor without dimensions.
bool is_one_number(const Operand& o) {
  return o.is_number() || o.tensor().rank() == 0;
}

// Whether the composites of vitro/ops/binary.h compute in the dtype in which a and b are added.
bool in_one_visit(const Operand& a, const Operand& b) {
  if (!a.is_tensor() || !b.is_tensor()) return false;
  const DType common = ops::result_type({&a, &b});
  return common == DType::f32 || common == DType::f64;
}

void check_alpha(std::string_view op, DType common, const Scalar& alpha) {
  VITRO_CHECK(is_floating(common) || is_complex(common) || !alpha.is_floating(), op,
              ": alpha must be an integer for ", common, ", got ", alpha);
  ops::check_holds(op, common, alpha);
}

// b * alpha in the dtype in which a and b are added; alpha is rounded to it, too.
Tensor scaled(std::string_view op, const ops::First& a, const Operand& b, const Scalar& alpha) {
  const DType common = ops::result_type({&a.operand, &b});
  check_alpha(op, common, alpha);
  const Device device = a.operand.is_tensor() ? a.operand.tensor().device()
                        : b.is_tensor()       ? b.tensor().device()
                                              : cpu;
  const Tensor cast =
      b.is_tensor() ? to(b.tensor(), common) : scalar_tensor(b.number(), common, device);
  const Scalar factor = is_bool(common) ? Scalar(alpha.as_bool()) : alpha;
  if (compute_type(common) == common) return ops::call<ops::Mul>(a.where, {cast, factor});
  return ops::call<ops::Mul>(a.where, {cast, scalar_tensor(factor, common, device)});
}

}  // namespace

namespace ops {

namespace {

// Reports errors as `name`, the public function. alpha is a number, and an integer if integers are
// added.
void shape_of_scaled(ShapeCall& call, std::string_view name, const PointwiseInfo& info,
                     Accepts accepts) {
  const Scalar* alpha = call.operands[2].number;
  VITRO_CHECK(alpha, call.op, ": alpha must be a number");
  call.op = name;
  check_alpha(name, common_dtype(call.operands.first(2), info, {}), *alpha);
  shape_of_pointwise(call, info, accepts);
}

}  // namespace

void Pow::shape(ShapeCall& call) {
  const auto is_integral = [](const Argument& a) {
    return a.meta ? !is_floating(a.meta->dtype) : a.number && !a.number->is_floating();
  };
  const Scalar* exponent = call.operands[1].number;
  const bool integral = exponent && is_integral(call.operands[0]) && is_integral(call.operands[1]);
  VITRO_CHECK(!integral || !less(exponent->size(), 0),
              "pow: integers cannot be raised to the negative integer ", *exponent,
              "; cast them to a floating-point dtype first");
  shape_of_pointwise(call, pointwise_info<Pow>, accepts);
  TensorMeta& result = call.results[0];
  if (integral) check_holds("pow", result.dtype, *exponent);
  // As in PyTorch, the layout of the exponent does not reach the powers of a plain number.
  if (call.operands[0].number) result = dense(result.dtype, result.device, result.sizes);
}

void AddScaled::shape(ShapeCall& call) {
  shape_of_scaled(call, "add", pointwise_info<AddScaled>, accepts);
}
void SubScaled::shape(ShapeCall& call) {
  refuse_bool(call.operands.first(2));
  shape_of_scaled(call, "sub", pointwise_info<SubScaled>, accepts);
}

void AddScaled::expand(std::span<const Operand> operands, AttrsView, std::span<Tensor> results) {
  const First a = operands[0].tensor();
  results[0] =
      ops::call<Add>(a.where, {a.operand, scaled("add", a, operands[1], operands[2].number())});
}
void SubScaled::expand(std::span<const Operand> operands, AttrsView, std::span<Tensor> results) {
  const First a = operands[0].tensor();
  results[0] =
      ops::call<Sub>(a.where, {a.operand, scaled("sub", a, operands[1], operands[2].number())});
}
void Cube::expand(std::span<const Operand> operands, AttrsView, std::span<Tensor> results) {
  const First x = operands[0].tensor();
  results[0] = call<Mul>(x.where, {square(operands[0].tensor()), x.operand});
}

namespace {

// The gradient is 0, also where that of the quotient is infinite.
struct TruncatedQuotient : ByFormula {
  static constexpr std::string_view name = "div",
                                    signatures = "(Tensor self, Tensor other) -> Tensor";
  static constexpr int arity = 2;
  static void shape(ShapeCall& call) {
    shape_of_pointwise(call, {Promote::to_float, false, false}, Accepts::all);
  }
  static void expand(std::span<const Operand> operands, AttrsView, std::span<Tensor> results) {
    const Tensor quotient = call_one(def<Div>(), operands, {}, {});
    results[0] = call<Trunc>({}, {quotient});
  }
  static void gradient(Formula& f) {
    for (size_t i = 0; i < 2; ++i)
      if (f.wants(i)) f.set(i, zeros_like(f.tensor(i)));
  }
};

}  // namespace

}  // namespace ops

Tensor add(ops::First a, const Operand& b, const Scalar& alpha) {
  if (alpha == Scalar(1)) return ops::call<ops::Add>(a.where, {a.operand, b});
  const CalledAs name("add", a.where);
  if (in_one_visit(a.operand, b)) return ops::call<ops::AddScaled>(a.where, {a.operand, b, alpha});
  return ops::call<ops::Add>(a.where, {a.operand, scaled("add", a, b, alpha)});
}

Tensor sub(ops::First a, const Operand& b, const Scalar& alpha) {
  if (alpha == Scalar(1)) return ops::call<ops::Sub>(a.where, {a.operand, b});
  const CalledAs name("sub", a.where);
  ops::check_subtracted(a.operand);
  ops::check_subtracted(b);
  if (in_one_visit(a.operand, b)) return ops::call<ops::SubScaled>(a.where, {a.operand, b, alpha});
  return ops::call<ops::Sub>(a.where, {a.operand, scaled("sub", a, b, alpha)});
}

Tensor div(ops::First a, const Operand& b, std::string_view rounding_mode) {
  const CalledAs name("div", a.where);
  if (rounding_mode == "floor") return ops::call<ops::FloorDivide>(a.where, {a.operand, b});
  if (rounding_mode == "trunc") {
    // For two tensors, not both of integers, PyTorch rounds the quotient before it truncates.
    if ((is_integral(a.operand) && is_integral(b)) || is_one_number(b))
      return ops::call<ops::TruncDivide>(a.where, {a.operand, b});
    return ops::by_formula<ops::TruncatedQuotient>(a.where, {a.operand, b});
  }
  VITRO_CHECK(rounding_mode.empty(),
              "div: rounding_mode must be \"\", \"floor\" or \"trunc\", got \"", rounding_mode,
              "\"");
  return ops::call<ops::Div>(a.where, {a.operand, b});
}

Tensor pow(ops::First a, const Operand& b) {
  if (a.operand.is_tensor() && b.is_number()) {
    const CalledAs name("pow", a.where);
    const Scalar& exponent = b.number();
    if (exponent.is_complex()) return ops::call<ops::Pow>(a.where, {a.operand, b});
    if (exponent.is(2) && !is_integral(a.operand)) return square({a.operand.tensor(), a.where});
    const DType dtype = a.operand.tensor().dtype();
    if (exponent.is(3) && (dtype == DType::f32 || dtype == DType::f64))
      return ops::call<ops::Cube>(a.where, {a.operand});
    if (exponent == Scalar(0.5)) return ops::call<ops::Sqrt>(a.where, {a.operand});
    if (exponent == Scalar(-0.5)) return ops::call<ops::Rsqrt>(a.where, {a.operand});
  }
  return ops::call<ops::Pow>(a.where, {a.operand, b});
}

Tensor square(ops::At x) {
  const CalledAs name("square", x.where);
  const Tensor number =
      is_bool(x.operand.tensor().dtype()) ? to(x, DType::i64) : x.operand.tensor();
  return ops::call<ops::Mul>(x.where, {number, number});
}

Tensor gelu(ops::At x, std::string_view approximate) {
  const CalledAs name("gelu", x.where);
  VITRO_CHECK(approximate == "none" || approximate == "tanh",
              "gelu: approximate must be \"none\" or \"tanh\", got \"", approximate, "\"");
  const auto how = approximate == "none" ? ops::Approximate::none : ops::Approximate::tanh;
  return ops::call<ops::Gelu>(x.where, {x.operand}, {how});
}

Tensor clamp(ops::At x, const Operand& min, const Operand& max) {
  const CalledAs name("clamp", x.where);
  const bool low = min.kind() != Operand::Kind::none, high = max.kind() != Operand::Kind::none;
  VITRO_CHECK(low || high, "clamp: needs at least one of min and max");
  if (low && high) return ops::call<ops::Clamp>(x.where, {x.operand, min, max});
  const Operand& bound = low ? min : max;
  if (bound.is_number())
    ops::check_holds("clamp", ops::result_type({&x.operand, &bound}), bound.number());
  const auto is_real = [](const Operand& o) { return is_floating(o.tensor().dtype()); };
  if (!bound.is_tensor() || !(is_real(x.operand) || is_real(bound)))
    return low ? ops::call<ops::Maximum>(x.where, {x.operand, min})
               : ops::call<ops::Minimum>(x.where, {x.operand, max});
  // On the bound x gets all of the gradient, not half of it as in maximum.
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return low ? ops::call<ops::Clamp>(x.where, {x.operand, min, infinity})
             : ops::call<ops::Clamp>(x.where, {x.operand, -infinity, max});
}

Tensor masked_fill(ops::At x, const Tensor& mask, const Operand& value) {
  const CalledAs name("masked_fill", x.where);
  const Tensor& t = x.operand.tensor();
  VITRO_CHECK(is_bool(mask.dtype()), "masked_fill: mask must be bool, got ", mask.dtype());
  VITRO_CHECK(!value.is_tensor() || value.tensor().rank() == 0,
              "masked_fill: takes a number or a tensor without dimensions; where takes tensors");
  const ops::FillValue fitting = ops::fill_value("masked_fill", value, t.dtype(), x.where);
  return ops::call<ops::Where>(x.where, {mask, fitting.operand(), x.operand});
}

const Tensor& masked_fill_(const Tensor& x, const Tensor& mask, const Operand& value,
                           std::source_location from) {
  const CalledAs name("masked_fill_", from);
  return copy_(x, masked_fill({x, from}, mask, value), from);
}

}  // namespace vitro
