#include "vitro/base/error.h"
#include "vitro/ops/activation.h"
#include "vitro/ops/binary.h"
#include "vitro/ops/choose.h"
#include "vitro/ops/create.h"

namespace vitro {
namespace {

// What arithmetic with a number makes of it: its category joins the promotion.
bool is_whole(const Operand& o) {
  return o.is_tensor() ? !is_floating(o.tensor().dtype()) : !o.number().is_floating();
}

}  // namespace

Tensor add(ops::First a, const Operand& b, const Scalar& alpha) {
  if (alpha == Scalar(1)) return ops::call<ops::Add>(a.where, {a.operand, b});
  const Tensor scaled = ops::call<ops::Mul>(a.where, {b, alpha});
  return ops::call<ops::Add>(a.where, {a.operand, scaled});
}

Tensor sub(ops::First a, const Operand& b, const Scalar& alpha) {
  if (alpha == Scalar(1)) return ops::call<ops::Sub>(a.where, {a.operand, b});
  const Tensor scaled = ops::call<ops::Mul>(a.where, {b, alpha});
  return ops::call<ops::Sub>(a.where, {a.operand, scaled});
}

Tensor div(ops::First a, const Operand& b, std::string_view rounding_mode) {
  if (rounding_mode == "floor") return ops::call<ops::FloorDivide>(a.where, {a.operand, b});
  if (rounding_mode == "trunc") return ops::call<ops::TruncDivide>(a.where, {a.operand, b});
  VITRO_CHECK(rounding_mode.empty(),
              "div: rounding_mode must be \"\", \"floor\" or \"trunc\", got \"", rounding_mode,
              "\"");
  return ops::call<ops::Div>(a.where, {a.operand, b});
}

Tensor pow(ops::First a, const Operand& b) {
  VITRO_CHECK(!(is_whole(a.operand) && b.is_number() && is_whole(b) && b.number().as_int() < 0),
              "pow: whole numbers cannot be raised to the negative whole number ", b.number(),
              "; cast them to a floating-point dtype first");
  return ops::call<ops::Pow>(a.where, {a.operand, b});
}

Tensor gelu(ops::At x, std::string_view approximate) {
  VITRO_CHECK(approximate == "none" || approximate == "tanh",
              "gelu: approximate must be \"none\" or \"tanh\", got \"", approximate, "\"");
  const auto how = approximate == "none" ? ops::Approximate::none : ops::Approximate::tanh;
  return ops::call<ops::Gelu>(x.where, {x.operand}, {how});
}

Tensor clamp(ops::At x, const Operand& min, const Operand& max) {
  const bool low = min.kind() != Operand::Kind::none, high = max.kind() != Operand::Kind::none;
  VITRO_CHECK(low || high, "clamp: needs at least one of min and max");
  if (!high) return ops::call<ops::Maximum>(x.where, {x.operand, min});
  if (!low) return ops::call<ops::Minimum>(x.where, {x.operand, max});
  return ops::call<ops::Clamp>(x.where, {x.operand, min, max});
}

Tensor masked_fill(ops::At x, const Tensor& mask, const Operand& value) {
  const Tensor& t = x.operand.tensor();
  VITRO_CHECK(is_bool(mask.dtype()), "masked_fill: mask must be bool, got ", mask.dtype());
  VITRO_CHECK(!value.is_tensor() || value.tensor().rank() == 0,
              "masked_fill: takes a number or a tensor without dimensions; where takes tensors");
  const bool fits = value.is_tensor()
                        ? promote(value.tensor().dtype(), t.dtype()) == t.dtype() ||
                              info(value.tensor().dtype()).category == info(t.dtype()).category
                        : info(value.number().dtype()).category <= info(t.dtype()).category;
  VITRO_CHECK(fits, "masked_fill: a tensor of ", t.dtype(),
              " cannot hold such a value; cast the tensor first");
  if (t.rank() != 0 || value.is_number())
    return ops::call<ops::Where>(x.where, {mask, value, x.operand});
  const Tensor cast = to(value.tensor(), t.dtype());
  return ops::call<ops::Where>(x.where, {mask, cast, x.operand});
}

const Tensor& masked_fill_(const Tensor& x, const Tensor& mask, const Operand& value,
                           std::source_location from) {
  return copy_(x, masked_fill({x, from}, mask, value), from);
}

}  // namespace vitro
