// Elementwise functions of one tensor.
//   Tensor y = exp(x);   exp_(x);  // in place
#pragma once

#include "vitro/ops/define.h"
#include "vitro/ops/math.h"

namespace vitro {
namespace ops {

struct Exp : Unary {
  static constexpr std::string_view name = "exp", doc = "e^x.";
  static constexpr Promote promote = Promote::to_float;
  static auto value(auto x) { return m::exp(x); }
  static auto vjp(auto g, auto, auto y) { return g * y; }
};

struct Expm1 : Unary {
  static constexpr std::string_view name = "expm1", doc = "e^x - 1.";
  static constexpr Promote promote = Promote::to_float;
  static auto value(auto x) { return m::expm1(x); }
  static auto vjp(auto g, auto, auto y) { return g * (y + 1.0); }
};

struct Exp2 : Unary {
  static constexpr std::string_view name = "exp2", doc = "2^x.";
  static constexpr Promote promote = Promote::to_float;
  static auto value(auto x) { return m::exp2(x); }
  static auto vjp(auto g, auto, auto y) { return g * y * 0.6931471805599453; }
};

struct Log : Unary {
  static constexpr std::string_view name = "log", doc = "The natural logarithm.";
  static constexpr Promote promote = Promote::to_float;
  static auto value(auto x) { return m::log(x); }
  static auto vjp(auto g, auto x, auto) { return g / x; }
};

struct Log2 : Unary {
  static constexpr std::string_view name = "log2", doc = "The logarithm to base 2.";
  static constexpr Promote promote = Promote::to_float;
  static auto value(auto x) { return m::log2(x); }
  static auto vjp(auto g, auto x, auto) { return g / (x * 0.6931471805599453); }
};

struct Log10 : Unary {
  static constexpr std::string_view name = "log10", doc = "The logarithm to base 10.";
  static constexpr Promote promote = Promote::to_float;
  static auto value(auto x) { return m::log10(x); }
  static auto vjp(auto g, auto x, auto) { return g / (x * 2.302585092994046); }
};

struct Log1p : Unary {
  static constexpr std::string_view name = "log1p", doc = "The natural logarithm of 1 + x.";
  static constexpr Promote promote = Promote::to_float;
  static auto value(auto x) { return m::log1p(x); }
  static auto vjp(auto g, auto x, auto) { return g / (x + 1.0); }
};

struct Sqrt : Unary {
  static constexpr std::string_view name = "sqrt", doc = "The square root.";
  static constexpr Promote promote = Promote::to_float;
  static auto value(auto x) { return m::sqrt(x); }
  static auto vjp(auto g, auto, auto y) { return g / (2.0 * y); }
};

struct Rsqrt : Unary {
  static constexpr std::string_view name = "rsqrt", doc = "1 / the square root.";
  static constexpr Promote promote = Promote::to_float;
  static auto value(auto x) { return m::rsqrt(x); }
  static auto vjp(auto g, auto, auto y) { return -0.5 * g * y * y * y; }
};

struct Sin : Unary {
  static constexpr std::string_view name = "sin", doc = "The sine.";
  static constexpr Promote promote = Promote::to_float;
  static auto value(auto x) { return m::sin(x); }
  static auto vjp(auto g, auto x, auto) { return g * m::cos(x); }
};

struct Cos : Unary {
  static constexpr std::string_view name = "cos", doc = "The cosine.";
  static constexpr Promote promote = Promote::to_float;
  static auto value(auto x) { return m::cos(x); }
  static auto vjp(auto g, auto x, auto) { return -g * m::sin(x); }
};

struct Tan : Unary {
  static constexpr std::string_view name = "tan", doc = "The tangent.";
  static constexpr Promote promote = Promote::to_float;
  static auto value(auto x) { return m::tan(x); }
  static auto vjp(auto g, auto, auto y) { return g * (1.0 + y * y); }
};

struct Asin : Unary {
  static constexpr std::string_view name = "asin", doc = "The inverse sine.";
  static constexpr Promote promote = Promote::to_float;
  static auto value(auto x) { return m::asin(x); }
  static auto vjp(auto g, auto x, auto) { return g * m::rsqrt(1.0 - x * x); }
};

struct Acos : Unary {
  static constexpr std::string_view name = "acos", doc = "The inverse cosine.";
  static constexpr Promote promote = Promote::to_float;
  static auto value(auto x) { return m::acos(x); }
  static auto vjp(auto g, auto x, auto) { return -g * m::rsqrt(1.0 - x * x); }
};

struct Atan : Unary {
  static constexpr std::string_view name = "atan", doc = "The inverse tangent.";
  static constexpr Promote promote = Promote::to_float;
  static auto value(auto x) { return m::atan(x); }
  static auto vjp(auto g, auto x, auto) { return g / (x * x + 1.0); }
};

struct Sinh : Unary {
  static constexpr std::string_view name = "sinh", doc = "The hyperbolic sine.";
  static constexpr Promote promote = Promote::to_float;
  static auto value(auto x) { return m::sinh(x); }
  static auto vjp(auto g, auto x, auto) { return g * m::cosh(x); }
};

struct Cosh : Unary {
  static constexpr std::string_view name = "cosh", doc = "The hyperbolic cosine.";
  static constexpr Promote promote = Promote::to_float;
  static auto value(auto x) { return m::cosh(x); }
  static auto vjp(auto g, auto x, auto) { return g * m::sinh(x); }
};

struct Tanh : Unary {
  static constexpr std::string_view name = "tanh", doc = "The hyperbolic tangent.";
  static constexpr Promote promote = Promote::to_float;
  static auto value(auto x) { return m::tanh(x); }
  static auto vjp(auto g, auto, auto y) { return g * (1.0 - y * y); }
};

struct Asinh : Unary {
  static constexpr std::string_view name = "asinh", doc = "The inverse of sinh.";
  static constexpr Promote promote = Promote::to_float;
  static auto value(auto x) { return m::asinh(x); }
  static auto vjp(auto g, auto x, auto) { return g * m::rsqrt(x * x + 1.0); }
};

struct Acosh : Unary {
  static constexpr std::string_view name = "acosh", doc = "The inverse of cosh.";
  static constexpr Promote promote = Promote::to_float;
  static auto value(auto x) { return m::acosh(x); }
  static auto vjp(auto g, auto x, auto) { return g * m::rsqrt(x * x - 1.0); }
};

struct Atanh : Unary {
  static constexpr std::string_view name = "atanh", doc = "The inverse of tanh.";
  static constexpr Promote promote = Promote::to_float;
  static auto value(auto x) { return m::atanh(x); }
  static auto vjp(auto g, auto x, auto) { return g / (1.0 - x * x); }
};

struct Erf : Unary {
  static constexpr std::string_view name = "erf", doc = "The error function.";
  static constexpr Promote promote = Promote::to_float;
  static auto value(auto x) { return m::erf(x); }
  static auto vjp(auto g, auto x, auto) { return g * (1.1283791670955126 * m::exp(-(x * x))); }
};

struct Erfc : Unary {
  static constexpr std::string_view name = "erfc", doc = "1 - erf(x).";
  static constexpr Promote promote = Promote::to_float;
  static auto value(auto x) { return m::erfc(x); }
  static auto vjp(auto g, auto x, auto) { return g * -1.1283791670955126 * m::exp(-x * x); }
};

struct Reciprocal : Unary {
  static constexpr std::string_view name = "reciprocal", doc = "1 / x.";
  static constexpr Promote promote = Promote::to_float;
  static auto value(auto x) { return 1.0 / x; }
  static auto vjp(auto g, auto, auto y) { return -g * y * y; }
};

struct Neg : Unary {
  static constexpr std::string_view name = "neg", doc = "-x.";
  static constexpr Accepts accepts = Accepts::no_bool;
  static auto value(auto x) { return -x; }
  static auto vjp(auto g, auto, auto) { return -g; }
};

struct Abs : Unary {
  static constexpr std::string_view name = "abs", doc = "The absolute value.";
  static constexpr Accepts accepts = Accepts::no_bool;
  static auto value(auto x) { return m::abs(x); }
  // 0 at 0, as the sign of x is.
  static auto vjp(auto g, auto x, auto) {
    return m::where(x > 0.0, g, m::where(x < 0.0, -g, g * 0.0));
  }
};

struct Sign : Unary {
  static constexpr std::string_view name = "sign", doc = "-1, 0 or 1; 0 for NaN.";
  static auto value(auto x) {
    return m::where(x > 0.0, m::like(x, 1.0), m::where(x < 0.0, m::like(x, -1.0), m::like(x, 0.0)));
  }
  static auto vjp(auto g, auto, auto) { return m::like(g, 0.0); }
};

struct Floor : Unary {
  static constexpr std::string_view name = "floor", doc = "Rounded down.";
  static constexpr Accepts accepts = Accepts::no_bool;
  static auto value(auto x) { return m::floor(x); }
  static auto vjp(auto g, auto, auto) { return m::like(g, 0.0); }
};

struct Ceil : Unary {
  static constexpr std::string_view name = "ceil", doc = "Rounded up.";
  static constexpr Accepts accepts = Accepts::no_bool;
  static auto value(auto x) { return m::ceil(x); }
  static auto vjp(auto g, auto, auto) { return m::like(g, 0.0); }
};

struct Round : Unary {
  static constexpr std::string_view name = "round",
                                    doc = "Rounded to the nearest integer, halves to even.";
  static constexpr Accepts accepts = Accepts::no_bool;
  static auto value(auto x) { return m::round(x); }
  static auto vjp(auto g, auto, auto) { return m::like(g, 0.0); }
};

struct Trunc : Unary {
  static constexpr std::string_view name = "trunc", doc = "Rounded towards zero.";
  static constexpr Accepts accepts = Accepts::no_bool;
  static auto value(auto x) { return m::trunc(x); }
  static auto vjp(auto g, auto, auto) { return m::like(g, 0.0); }
};

struct IsNan : Unary {
  static constexpr std::string_view name = "isnan", doc = "Whether it is NaN.";
  static constexpr Promote promote = Promote::to_bool;
  static constexpr std::string_view in_place_signatures = "";
  static auto value(auto x) { return m::isnan(x); }
};

struct IsInf : Unary {
  static constexpr std::string_view name = "isinf", doc = "Whether it is infinite.";
  static constexpr Promote promote = Promote::to_bool;
  static constexpr std::string_view in_place_signatures = "";
  static auto value(auto x) { return m::isinf(x); }
};

struct LogicalNot : Unary {
  static constexpr std::string_view name = "logical_not", doc = "Whether it is zero.";
  static constexpr Promote promote = Promote::to_bool;
  static auto value(auto x) { return x == 0.0; }
};

struct BitwiseNot : Unary {
  static constexpr std::string_view name = "bitwise_not",
                                    doc = "Bitwise not; logical not for bool.";
  static constexpr Accepts accepts = Accepts::not_floating;
  static auto value(auto x) { return ~x; }
};

}  // namespace ops

// Functions, not objects, so that they overload C's functions of the same names, which take
// numbers, if a program says `using namespace vitro`.
#define VITRO_UNARY(name, op)                        \
  inline Tensor name(const ops::First& x) {          \
    return ops::call<ops::op>(x.where, {x.operand}); \
  }
VITRO_UNARY(exp, Exp)
VITRO_UNARY(expm1, Expm1)
VITRO_UNARY(exp2, Exp2)
VITRO_UNARY(log, Log)
VITRO_UNARY(log2, Log2)
VITRO_UNARY(log10, Log10)
VITRO_UNARY(log1p, Log1p)
VITRO_UNARY(sqrt, Sqrt)
VITRO_UNARY(rsqrt, Rsqrt)
VITRO_UNARY(sin, Sin)
VITRO_UNARY(cos, Cos)
VITRO_UNARY(tan, Tan)
VITRO_UNARY(asin, Asin)
VITRO_UNARY(acos, Acos)
VITRO_UNARY(atan, Atan)
VITRO_UNARY(sinh, Sinh)
VITRO_UNARY(cosh, Cosh)
VITRO_UNARY(tanh, Tanh)
VITRO_UNARY(asinh, Asinh)
VITRO_UNARY(acosh, Acosh)
VITRO_UNARY(atanh, Atanh)
VITRO_UNARY(erf, Erf)
VITRO_UNARY(erfc, Erfc)
VITRO_UNARY(reciprocal, Reciprocal)
VITRO_UNARY(neg, Neg)
VITRO_UNARY(abs, Abs)
VITRO_UNARY(sign, Sign)
VITRO_UNARY(floor, Floor)
VITRO_UNARY(ceil, Ceil)
VITRO_UNARY(round, Round)
VITRO_UNARY(trunc, Trunc)
VITRO_UNARY(isnan, IsNan)
VITRO_UNARY(isinf, IsInf)
VITRO_UNARY(logical_not, LogicalNot)
VITRO_UNARY(bitwise_not, BitwiseNot)
#undef VITRO_UNARY
inline constexpr ops::InPlace<ops::Exp> exp_;
inline constexpr ops::InPlace<ops::Expm1> expm1_;
inline constexpr ops::InPlace<ops::Exp2> exp2_;
inline constexpr ops::InPlace<ops::Log> log_;
inline constexpr ops::InPlace<ops::Log2> log2_;
inline constexpr ops::InPlace<ops::Log10> log10_;
inline constexpr ops::InPlace<ops::Log1p> log1p_;
inline constexpr ops::InPlace<ops::Sqrt> sqrt_;
inline constexpr ops::InPlace<ops::Rsqrt> rsqrt_;
inline constexpr ops::InPlace<ops::Sin> sin_;
inline constexpr ops::InPlace<ops::Cos> cos_;
inline constexpr ops::InPlace<ops::Tan> tan_;
inline constexpr ops::InPlace<ops::Asin> asin_;
inline constexpr ops::InPlace<ops::Acos> acos_;
inline constexpr ops::InPlace<ops::Atan> atan_;
inline constexpr ops::InPlace<ops::Sinh> sinh_;
inline constexpr ops::InPlace<ops::Cosh> cosh_;
inline constexpr ops::InPlace<ops::Tanh> tanh_;
inline constexpr ops::InPlace<ops::Asinh> asinh_;
inline constexpr ops::InPlace<ops::Acosh> acosh_;
inline constexpr ops::InPlace<ops::Atanh> atanh_;
inline constexpr ops::InPlace<ops::Erf> erf_;
inline constexpr ops::InPlace<ops::Erfc> erfc_;
inline constexpr ops::InPlace<ops::Reciprocal> reciprocal_;
inline constexpr ops::InPlace<ops::Neg> neg_;
inline constexpr ops::InPlace<ops::Abs> abs_;
inline constexpr ops::InPlace<ops::Sign> sign_;
inline constexpr ops::InPlace<ops::Floor> floor_;
inline constexpr ops::InPlace<ops::Ceil> ceil_;
inline constexpr ops::InPlace<ops::Round> round_;
inline constexpr ops::InPlace<ops::Trunc> trunc_;
inline constexpr ops::InPlace<ops::LogicalNot> logical_not_;
inline constexpr ops::InPlace<ops::BitwiseNot> bitwise_not_;

}  // namespace vitro
