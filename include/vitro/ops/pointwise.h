// Elementwise ops.
#pragma once

#include "vitro/ops/define.h"
#include "vitro/ops/math.h"

namespace vitro {
namespace ops {

struct Exp : Unary {
  static constexpr std::string_view name = "exp", doc = "e raised to each element.";
  static constexpr Promote promote = Promote::to_float;
  static auto value(auto x) { return m::exp(x); }
};

struct Sigmoid : Unary {
  static constexpr std::string_view name = "sigmoid", doc = "1 / (1 + e^-x) for each element.";
  static constexpr Promote promote = Promote::to_float;
  static auto value(auto x) { return 1.0 / (1.0 + m::exp(-x)); }
};

struct Add : Binary {
  static constexpr std::string_view name = "add", doc = "a + b; bool is a logical or.";
  static auto value(auto a, auto b) { return a + b; }
};

struct Mul : Binary {
  static constexpr std::string_view name = "mul", doc = "a * b; bool is a logical and.";
  static auto value(auto a, auto b) { return a * b; }
};

struct Gt : Binary {
  static constexpr std::string_view name = "gt", doc = "a > b.";
  static constexpr Promote promote = Promote::comparison;
  static auto value(auto a, auto b) { return a > b; }
};

struct Where : Ternary {
  static constexpr std::string_view name = "where",
                                    doc = "a where the condition holds, b elsewhere.";
  static constexpr bool first_is_condition = true;
  static auto value(auto condition, auto a, auto b) { return m::where(condition, a, b); }
};

}  // namespace ops

inline constexpr ops::Call<ops::Exp> exp;
inline constexpr ops::Call<ops::Sigmoid> sigmoid;
inline constexpr ops::Call<ops::Add> add;
inline constexpr ops::Call<ops::Mul> mul;
inline constexpr ops::Call<ops::Gt> gt;
inline constexpr ops::Call<ops::Where> where;
inline constexpr ops::InPlace<ops::Exp> exp_;
inline constexpr ops::InPlace<ops::Add> add_;
inline constexpr ops::InPlace<ops::Mul> mul_;

inline Tensor operator+(ops::At a, const Operand& b) {
  return ops::call<ops::Add>(a.where, {a.operand, b});
}
inline Tensor operator+(const Scalar& a, ops::At b) {
  return ops::call<ops::Add>(b.where, {a, b.operand});
}
inline Tensor operator*(ops::At a, const Operand& b) {
  return ops::call<ops::Mul>(a.where, {a.operand, b});
}
inline Tensor operator*(const Scalar& a, ops::At b) {
  return ops::call<ops::Mul>(b.where, {a, b.operand});
}

}  // namespace vitro
