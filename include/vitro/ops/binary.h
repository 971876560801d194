// Arithmetic of two tensors, or of a tensor and a number; sizes broadcast.
//   Tensor y = x * 2 + mul(a, b);   add_(x, y);  // in place
#pragma once

#include <tuple>

#include "vitro/ops/define.h"
#include "vitro/ops/math.h"

namespace vitro {

// add(a, b, alpha) is a + alpha * b; sub(a, b, alpha) is a - alpha * b.
Tensor add(ops::First a, const Operand& b, const Scalar& alpha = 1);
Tensor sub(ops::First a, const Operand& b, const Scalar& alpha = 1);
// rounding_mode: "" is true division, "floor" rounds down, "trunc" towards zero.
Tensor div(ops::First a, const Operand& b, std::string_view rounding_mode = "");
// Error if an integer tensor is raised to a negative integer: cast it first.
Tensor pow(ops::First a, const Operand& b);

namespace ops {

struct Add : Binary {
  static constexpr std::string_view name = "add", doc = "a + b; logical or for bool.";
  static constexpr std::string_view signatures =
      ".Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor\n"
      ".Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor";
  static constexpr auto function = &vitro::add;
  static auto value(auto a, auto b) { return a + b; }
  static auto vjp(auto g, auto, auto, auto) { return std::make_tuple(g, g); }
};

struct Sub : Binary {
  static constexpr std::string_view name = "sub", doc = "a - b.";
  static constexpr std::string_view signatures =
      ".Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor\n"
      ".Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor";
  static constexpr auto function = &vitro::sub;
  static constexpr Accepts accepts = Accepts::no_bool;
  static void shape(ShapeCall& call);  // Error if an operand is bool
  static auto value(auto a, auto b) { return a - b; }
  static auto vjp(auto g, auto, auto, auto) {
    return std::make_tuple(g, [=] { return -g; });
  }
};

struct Mul : Binary {
  static constexpr std::string_view name = "mul", doc = "a * b; logical and for bool.";
  static constexpr Numbers numbers = Numbers::kept;
  static auto value(auto a, auto b) { return a * b; }
  static auto vjp(auto g, auto a, auto b, auto) {
    return std::make_tuple([=] { return g * b; }, [=] { return g * a; });
  }
};

struct Div : Binary {
  static constexpr std::string_view name = "div",
                                    doc = "a / b; integers are divided as floating-point numbers.";
  static constexpr std::string_view signatures =
      ".Tensor(Tensor self, Tensor other) -> Tensor\n"
      ".Scalar(Tensor self, Scalar other) -> Tensor\n"
      ".Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor\n"
      ".Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor";
  static constexpr auto function = &vitro::div;
  static constexpr Promote promote = Promote::to_float;
  static constexpr Numbers numbers = Numbers::kept_after_first;
  static auto value(auto a, auto b) { return a / b; }
  static auto vjp(auto g, auto, auto b, auto y) {
    return std::make_tuple([=] { return g / b; }, [=] { return -g * (y / b); });
  }
};

struct FloorDivide : Binary {
  static constexpr std::string_view name = "floor_divide", doc = "a / b rounded down.";
  static constexpr std::string_view signatures =
      "(Tensor self, Tensor other) -> Tensor\n"
      ".Scalar(Tensor self, Scalar other) -> Tensor";
  static constexpr std::string_view in_place_signatures =
      ".Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)\n"
      ".Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)";
  static constexpr Accepts accepts = Accepts::no_bool;
  static constexpr bool integer_divisor = true;
  static constexpr Numbers numbers = Numbers::kept_after_first;
  static auto value(auto a, auto b) { return m::floor_div(a, b); }
  static auto vjp(auto g, auto, auto, auto) {
    return std::make_tuple(m::like(g, 0.0), m::like(g, 0.0));
  }
};

struct TruncDivide : Binary {
  static constexpr std::string_view name = "trunc_divide", doc = "a / b rounded towards zero.";
  static constexpr Accepts accepts = Accepts::no_bool;
  static constexpr bool integer_divisor = true;
  static constexpr Numbers numbers = Numbers::kept_after_first;
  static auto value(auto a, auto b) { return m::trunc_div(a, b); }
  static auto vjp(auto g, auto, auto, auto) {
    return std::make_tuple(m::like(g, 0.0), m::like(g, 0.0));
  }
};

struct Fmod : Binary {
  static constexpr std::string_view name = "fmod",
                                    doc = "The remainder of a / b with the sign of a.";
  static constexpr Accepts accepts = Accepts::no_bool;
  static constexpr bool integer_divisor = true;
  static auto value(auto a, auto b) { return m::fmod(a, b); }
  static auto vjp(auto g, auto a, auto b, auto) {
    return std::make_tuple(g, [=] { return -g * m::trunc_div(a, b); });
  }
};

struct Remainder : Binary {
  static constexpr std::string_view name = "remainder",
                                    doc = "The remainder of a / b with the sign of b.";
  static constexpr std::string_view signatures =
      ".Tensor(Tensor self, Tensor other) -> Tensor\n"
      ".Scalar(Tensor self, Scalar other) -> Tensor\n"
      ".Scalar_Tensor(Scalar self, Tensor other) -> Tensor";
  static constexpr Accepts accepts = Accepts::no_bool;
  static constexpr bool integer_divisor = true;
  static auto value(auto a, auto b) { return m::remainder(a, b); }
  static auto vjp(auto g, auto a, auto b, auto) {
    return std::make_tuple(g, [=] { return -g * m::floor_div(a, b); });
  }
};

struct Pow : Binary {
  static constexpr std::string_view name = "pow", doc = "a to the power of b.";
  static constexpr std::string_view signatures =
      ".Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor\n"
      ".Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor\n"
      ".Scalar(Scalar self, Tensor exponent) -> Tensor";
  static constexpr std::string_view in_place_signatures =
      ".Tensor(Tensor(a!) self, Tensor exponent) -> Tensor(a!)\n"
      ".Scalar(Tensor(a!) self, Scalar exponent) -> Tensor(a!)";
  static constexpr auto function = &vitro::pow;
  static void shape(ShapeCall& call);  // Error for integers raised to a negative number
  static auto value(auto a, auto b) { return m::pow(a, b); }
  // The gradient of a is 0 for x^0, that of b is 0 for 0^y with y >= 0. There pow and log get other
  // operands, so that their own gradients are finite.
  static auto vjp(auto g, auto a, auto b, auto y) {
    const auto none = m::like(g, 0.0);
    const auto of_base = [=] {
      const auto constant = b == 0.0;
      const auto less = m::where(constant, m::like(b, 1.0), b) - 1.0;
      return m::where(constant, none, g * (b * m::pow(a, less)));
    };
    const auto of_exponent = [=] {
      const auto zero = a == 0.0 && b >= 0.0;
      return m::where(zero, none, g * (y * m::log(m::where(zero, m::like(a, 1.0), a))));
    };
    return std::make_tuple(of_base, of_exponent);
  }
};

// What add and sub with alpha, and pow with 3, compute. ATen has no such ops.
struct Scaled : Ternary {
  static constexpr OpKind kind = OpKind::composite;
  static constexpr std::string_view in_place_signatures = "";
  static constexpr std::string_view signatures =
      "(Tensor self, Tensor other, Scalar alpha) -> Tensor";
  static constexpr Accepts accepts = Accepts::floating;
};
struct AddScaled : Scaled {
  static constexpr std::string_view name = "add_scaled", doc = "a + alpha * b.";
  static void shape(ShapeCall& call);  // errors name `add` or `sub`
  static auto value(auto a, auto b, auto alpha) { return a + b * alpha; }
  static auto vjp(auto g, auto, auto, auto alpha, auto) {
    return std::make_tuple(g, [=] { return g * alpha; });
  }
  static void expand(std::span<const Operand> operands, AttrsView attrs, std::span<Tensor> results);
};
struct SubScaled : Scaled {
  static constexpr std::string_view name = "sub_scaled", doc = "a - alpha * b.";
  static void shape(ShapeCall& call);
  static auto value(auto a, auto b, auto alpha) { return a - b * alpha; }
  static auto vjp(auto g, auto, auto, auto alpha, auto) {
    return std::make_tuple(g, [=] { return -g * alpha; });
  }
  static void expand(std::span<const Operand> operands, AttrsView attrs, std::span<Tensor> results);
};
struct Cube : Unary {
  static constexpr OpKind kind = OpKind::composite;
  static constexpr std::string_view in_place_signatures = "";
  static constexpr std::string_view name = "cube", doc = "x * x * x.";
  static constexpr Accepts accepts = Accepts::floating;
  static auto value(auto x) { return x * x * x; }
  static auto vjp(auto g, auto x, auto) { return g * (3.0 * (x * x)); }
  static void expand(std::span<const Operand> operands, AttrsView attrs, std::span<Tensor> results);
};

struct Atan2 : TensorBinary {
  static constexpr std::string_view name = "atan2", doc = "The angle of the point (b, a).";
  static constexpr Promote promote = Promote::to_float;
  static auto value(auto a, auto b) { return m::atan2(a, b); }
  // 0 at the origin, where the angle is undefined.
  static auto vjp(auto g, auto a, auto b, auto) {
    const auto squares = a * a + b * b;
    const auto none = squares == 0.0;
    const auto divisor = m::where(none, m::like(squares, 1.0), squares), zero = m::like(g, 0.0);
    return std::make_tuple([=] { return m::where(none, zero, g * (b / divisor)); },
                           [=] { return m::where(none, zero, g * (-a / divisor)); });
  }
};

struct Minimum : TensorBinary {
  static constexpr std::string_view name = "minimum", doc = "The smaller; NaN if either is.";
  static auto value(auto a, auto b) { return m::minimum(a, b); }
  static void gradient(Formula& f);
  // Equal operands get half each; if one is NaN both get all of it.
  static auto vjp(auto g, auto a, auto b, auto) {
    const auto shared = m::where(a == b, g * 0.5, g), none = m::like(g, 0.0);
    return std::make_tuple([=] { return m::where(a > b, none, shared); },
                           [=] { return m::where(b > a, none, shared); });
  }
};

struct Maximum : TensorBinary {
  static constexpr std::string_view name = "maximum", doc = "The larger; NaN if either is.";
  static auto value(auto a, auto b) { return m::maximum(a, b); }
  static void gradient(Formula& f);
  static auto vjp(auto g, auto a, auto b, auto) {
    const auto shared = m::where(a == b, g * 0.5, g), none = m::like(g, 0.0);
    return std::make_tuple([=] { return m::where(a < b, none, shared); },
                           [=] { return m::where(b < a, none, shared); });
  }
};

struct BitwiseAnd : Binary {
  static constexpr std::string_view name = "bitwise_and", doc = "a & b.";
  static constexpr std::string_view signatures =
      ".Tensor(Tensor self, Tensor other) -> Tensor\n"
      ".Scalar(Tensor self, Scalar other) -> Tensor\n"
      ".Scalar_Tensor(Scalar self, Tensor other) -> Tensor";
  static constexpr Accepts accepts = Accepts::not_floating;
  static auto value(auto a, auto b) { return a & b; }
};

struct BitwiseOr : Binary {
  static constexpr std::string_view name = "bitwise_or", doc = "a | b.";
  static constexpr std::string_view signatures =
      ".Tensor(Tensor self, Tensor other) -> Tensor\n"
      ".Scalar(Tensor self, Scalar other) -> Tensor\n"
      ".Scalar_Tensor(Scalar self, Tensor other) -> Tensor";
  static constexpr Accepts accepts = Accepts::not_floating;
  static auto value(auto a, auto b) { return a | b; }
};

struct BitwiseXor : Binary {
  static constexpr std::string_view name = "bitwise_xor", doc = "a ^ b.";
  static constexpr std::string_view signatures =
      ".Tensor(Tensor self, Tensor other) -> Tensor\n"
      ".Scalar(Tensor self, Scalar other) -> Tensor\n"
      ".Scalar_Tensor(Scalar self, Tensor other) -> Tensor";
  static constexpr Accepts accepts = Accepts::not_floating;
  static auto value(auto a, auto b) { return a ^ b; }
};

}  // namespace ops

inline constexpr ops::PointwiseFunction<ops::Mul> mul;
inline constexpr ops::PointwiseFunction<ops::FloorDivide> floor_divide;
inline constexpr ops::PointwiseFunction<ops::TruncDivide> trunc_divide;
inline constexpr ops::PointwiseFunction<ops::Minimum> minimum;
inline constexpr ops::PointwiseFunction<ops::Maximum> maximum;
inline constexpr ops::PointwiseFunction<ops::BitwiseAnd> bitwise_and;
inline constexpr ops::PointwiseFunction<ops::BitwiseOr> bitwise_or;
inline constexpr ops::PointwiseFunction<ops::BitwiseXor> bitwise_xor;
inline constexpr ops::InPlace<ops::Add> add_;
inline constexpr ops::InPlace<ops::Sub> sub_;
inline constexpr ops::InPlace<ops::Mul> mul_;
inline constexpr ops::InPlace<ops::Div> div_;
inline constexpr ops::InPlace<ops::FloorDivide> floor_divide_;
inline constexpr ops::InPlace<ops::TruncDivide> trunc_divide_;
inline constexpr ops::InPlace<ops::Fmod> fmod_;
inline constexpr ops::InPlace<ops::Remainder> remainder_;
inline constexpr ops::InPlace<ops::Pow> pow_;
inline constexpr ops::InPlace<ops::Atan2> atan2_;
inline constexpr ops::InPlace<ops::Minimum> minimum_;
inline constexpr ops::InPlace<ops::Maximum> maximum_;
inline constexpr ops::InPlace<ops::BitwiseAnd> bitwise_and_;
inline constexpr ops::InPlace<ops::BitwiseOr> bitwise_or_;
inline constexpr ops::InPlace<ops::BitwiseXor> bitwise_xor_;

// C has functions of these names for numbers: see unary.h.
#define VITRO_BINARY(name, op)                                \
  inline Tensor name(const ops::First& a, const Operand& b) { \
    return ops::call<ops::op>(a.where, {a.operand, b});       \
  }
VITRO_BINARY(fmod, Fmod)
VITRO_BINARY(remainder, Remainder)
VITRO_BINARY(atan2, Atan2)
#undef VITRO_BINARY

Tensor square(ops::At x);  // of bool: i64

}  // namespace vitro
