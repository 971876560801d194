// Comparisons and selection. Comparisons return bool.
#pragma once

#include <tuple>

#include "vitro/ops/define.h"
#include "vitro/ops/math.h"

namespace vitro {

// A bound may be left out ({}).
Tensor clamp(ops::At x, const Operand& min = {}, const Operand& max = {});

namespace ops {

struct Eq : Binary {
  static constexpr std::string_view name = "eq", doc = "a == b.";
  static constexpr Promote promote = Promote::comparison;
  static auto value(auto a, auto b) { return a == b; }
};

struct Ne : Binary {
  static constexpr std::string_view name = "ne", doc = "a != b.";
  static constexpr Promote promote = Promote::comparison;
  static auto value(auto a, auto b) { return a != b; }
};

struct Lt : Binary {
  static constexpr std::string_view name = "lt", doc = "a < b.";
  static constexpr Promote promote = Promote::comparison;
  static auto value(auto a, auto b) { return a < b; }
};

struct Le : Binary {
  static constexpr std::string_view name = "le", doc = "a <= b.";
  static constexpr Promote promote = Promote::comparison;
  static auto value(auto a, auto b) { return a <= b; }
};

struct Gt : Binary {
  static constexpr std::string_view name = "gt", doc = "a > b.";
  static constexpr Promote promote = Promote::comparison;
  static auto value(auto a, auto b) { return a > b; }
};

struct Ge : Binary {
  static constexpr std::string_view name = "ge", doc = "a >= b.";
  static constexpr Promote promote = Promote::comparison;
  static auto value(auto a, auto b) { return a >= b; }
};

struct LogicalAnd : TensorBinary {
  static constexpr std::string_view name = "logical_and", doc = "Whether a and b are both not 0.";
  static constexpr Promote promote = Promote::comparison;
  static auto value(auto a, auto b) { return (a != 0.0) && (b != 0.0); }
};

struct LogicalOr : TensorBinary {
  static constexpr std::string_view name = "logical_or", doc = "Whether a or b is not 0.";
  static constexpr Promote promote = Promote::comparison;
  static auto value(auto a, auto b) { return (a != 0.0) || (b != 0.0); }
};

struct LogicalXor : TensorBinary {
  static constexpr std::string_view name = "logical_xor",
                                    doc = "Whether exactly one of a and b is not 0.";
  static constexpr Promote promote = Promote::comparison;
  static auto value(auto a, auto b) { return (a != 0.0) != (b != 0.0); }
};

struct Where : Ternary {
  static constexpr std::string_view name = "where",
                                    doc = "a where the condition is true, b elsewhere.";
  static constexpr std::string_view signatures =
      ".self(Tensor condition, Tensor self, Tensor other) -> Tensor\n"
      ".ScalarOther(Tensor condition, Tensor self, Scalar other) -> Tensor\n"
      ".ScalarSelf(Tensor condition, Scalar self, Tensor other) -> Tensor\n"
      ".Scalar(Tensor condition, Scalar self, Scalar other) -> Tensor";
  static constexpr bool first_is_condition = true;
  static auto value(auto condition, auto a, auto b) { return m::where(condition, a, b); }
  static auto vjp(auto g, auto condition, auto, auto, auto) {
    const auto none = m::like(g, 0.0);
    return std::make_tuple(
        no_gradient, [=] { return m::where(condition, g, none); },
        [=] { return m::where(condition, none, g); });
  }
};

struct Clamp : Ternary {
  static constexpr std::string_view name = "clamp", doc = "x within [min, max].";
  static constexpr std::string_view signatures =
      "(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor\n"
      ".Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor";
  static constexpr auto function = &vitro::clamp;
  static constexpr Accepts accepts = Accepts::no_bool;
  static void shape(ShapeCall& call);
  static auto value(auto x, auto min, auto max) { return m::minimum(m::maximum(x, min), max); }
  // An infinite bound has no effect: uses the formula for the other bound alone.
  static void gradient(Formula& f);
  // The gradient goes to x within the bounds, inclusive.
  static auto vjp(auto g, auto x, auto min, auto max, auto) {
    const auto none = m::like(g, 0.0);
    return std::make_tuple([=] { return m::where(x >= min && x <= max, g, none); },
                           [=] { return m::where(x < min && min < max, g, none); },
                           [=] { return m::where(x > max || max < min, g, none); });
  }
};

}  // namespace ops

inline constexpr ops::PointwiseFunction<ops::Eq> eq;
inline constexpr ops::PointwiseFunction<ops::Ne> ne;
inline constexpr ops::PointwiseFunction<ops::Lt> lt;
inline constexpr ops::PointwiseFunction<ops::Le> le;
inline constexpr ops::PointwiseFunction<ops::Gt> gt;
inline constexpr ops::PointwiseFunction<ops::Ge> ge;
inline constexpr ops::PointwiseFunction<ops::LogicalAnd> logical_and;
inline constexpr ops::PointwiseFunction<ops::LogicalOr> logical_or;
inline constexpr ops::PointwiseFunction<ops::LogicalXor> logical_xor;
inline constexpr ops::PointwiseFunction<ops::Where> where;
inline constexpr ops::InPlace<ops::Eq> eq_;
inline constexpr ops::InPlace<ops::Ne> ne_;
inline constexpr ops::InPlace<ops::Lt> lt_;
inline constexpr ops::InPlace<ops::Le> le_;
inline constexpr ops::InPlace<ops::Gt> gt_;
inline constexpr ops::InPlace<ops::Ge> ge_;
inline constexpr ops::InPlace<ops::LogicalAnd> logical_and_;
inline constexpr ops::InPlace<ops::LogicalOr> logical_or_;
inline constexpr ops::InPlace<ops::LogicalXor> logical_xor_;
inline constexpr ops::InPlace<ops::Clamp> clamp_;

// `value` where the bool `mask` is true, x elsewhere; the dtype is that of x.
Tensor masked_fill(ops::At x, const Tensor& mask, const Operand& value);
const Tensor& masked_fill_(const Tensor& x, const Tensor& mask, const Operand& value,
                           std::source_location from = std::source_location::current());

}  // namespace vitro
