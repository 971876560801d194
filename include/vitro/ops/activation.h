// Activation functions.
#pragma once

#include <array>
#include <string_view>
#include <tuple>

#include "vitro/ops/define.h"
#include "vitro/ops/math.h"

namespace vitro {
namespace ops {

struct Sigmoid : Unary {
  static constexpr std::string_view name = "sigmoid", doc = "1 / (1 + e^-x).";
  static constexpr Promote promote = Promote::to_float;
  static auto value(auto x) { return m::sigmoid(x); }
  static auto vjp(auto g, auto, auto y) { return g * y * (1.0 - y); }
};

struct Relu : Unary {
  static constexpr std::string_view name = "relu",
                                    doc = "x where it is positive, else 0; NaN stays.";
  static constexpr Accepts accepts = Accepts::no_bool;
  static auto value(auto x) { return m::maximum(x, m::like(x, 0.0)); }
  static auto vjp(auto g, auto, auto y) { return m::where(y <= 0.0, m::like(g, 0.0), g); }
};

struct Silu : Unary {
  static constexpr std::string_view name = "silu", doc = "x * sigmoid(x).";
  static constexpr Accepts accepts = Accepts::floating;
  static auto value(auto x) { return x / (1.0 + m::exp(-x)); }
  static auto vjp(auto g, auto x, auto) {
    const auto s = m::sigmoid(x);
    return (g * s) * (1.0 + x * (1.0 - s));
  }
};

enum class Approximate : uint8_t { none, tanh };
constexpr auto names_of_values(Approximate) {
  return std::array<std::string_view, 2>{"none", "tanh"};
}
struct GeluAttrs {
  Approximate approximate = Approximate::none;
  static constexpr void each(auto&& f) { f("approximate", &GeluAttrs::approximate); }
};
struct Gelu : Unary {
  static constexpr std::string_view name = "gelu", doc = "x * P(X <= x) for a standard normal X.";
  static constexpr std::string_view signatures =
      "(Tensor self, *, str approximate=\"none\") -> Tensor";
  static constexpr Accepts accepts = Accepts::floating;
  static constexpr bool uses_attrs = true;
  using Attrs = GeluAttrs;
  static auto value(const Attrs& attrs, auto x) {
    if (attrs.approximate == Approximate::none)
      return x * 0.5 * (1.0 + m::erf(x * 0.7071067811865476));
    return 0.5 * x * (1.0 + m::tanh(0.7978845608028654 * (x + 0.044715 * (x * x * x))));
  }
  static auto vjp(const Attrs& attrs, auto g, auto x, auto) {
    return attrs.approximate == Approximate::none ? g * slope(x) : g * slope_by_tanh(x);
  }

 private:
  static auto slope(auto x) {
    const auto density = 0.3989422804014327 * m::exp(-0.5 * (x * x));
    return 0.5 * (1.0 + m::erf(x * 0.7071067811865476)) + x * density;
  }
  static auto slope_by_tanh(auto x) {
    const auto squared = x * x;
    const auto t = m::tanh(0.7978845608028654 * (x + 0.044715 * (squared * x)));
    const auto inner = 0.7978845608028654 * (1.0 + 0.134145 * squared);
    return 0.5 * (1.0 + t) + 0.5 * x * ((1.0 - t * t) * inner);
  }
};

struct LeakyRelu : Binary {
  static constexpr std::string_view name = "leaky_relu",
                                    doc = "x where it is positive, else negative_slope * x.";
  static constexpr std::string_view signatures =
      "(Tensor self, Scalar negative_slope=0.01) -> Tensor";
  static constexpr Accepts accepts = Accepts::floating;
  static constexpr Numbers numbers = Numbers::kept_after_first;
  static auto value(auto x, auto slope) { return m::where(x > 0.0, x, x * slope); }
  static auto vjp(auto g, auto x, auto slope, auto) {
    return std::make_tuple(m::where(x > 0.0, g, g * slope));
  }
};

struct Elu : Pointwise {
  static constexpr std::string_view name = "elu",
                                    doc =
                                        "scale * x, or scale * alpha * (e^(input_scale * x) - 1) "
                                        "where x is negative.";
  static constexpr std::string_view signatures =
      "(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor";
  static constexpr int arity = 4;
  static constexpr Accepts accepts = Accepts::floating;
  static constexpr Numbers numbers = Numbers::kept_after_first;
  static auto value(auto x, auto alpha, auto scale, auto input_scale) {
    return m::where(x < 0.0, m::expm1(x * input_scale) * (alpha * scale), x * scale);
  }
  static auto vjp(auto g, auto x, auto alpha, auto scale, auto input_scale, auto) {
    // Clamped: for large x the exponential would be infinite, and its gradient 0 * inf.
    const auto negative = m::where(x < 0.0, x, m::like(x, 0.0));
    const auto slope = m::exp(negative * input_scale) * (alpha * scale * input_scale);
    return std::make_tuple(m::where(x <= 0.0, g * slope, g * scale));
  }
};

struct Softplus : Ternary {
  static constexpr std::string_view name = "softplus",
                                    doc =
                                        "log(1 + e^(beta * x)) / beta, or x where beta * x is "
                                        "above the threshold.";
  static constexpr std::string_view signatures =
      "(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor";
  static constexpr Accepts accepts = Accepts::floating;
  static constexpr std::string_view in_place_signatures = "";
  static constexpr Numbers numbers = Numbers::kept_after_first;
  static auto value(auto x, auto beta, auto threshold) {
    const auto scaled = x * beta;
    return m::where(scaled > threshold, x, m::log1p(m::exp(scaled)) / beta);
  }
  static auto vjp(auto g, auto x, auto beta, auto threshold, auto) {
    const auto scaled = x * beta;
    return std::make_tuple(m::where(scaled > threshold, g, g * m::sigmoid(scaled)));
  }
};

struct Hardtanh : Ternary {
  static constexpr std::string_view name = "hardtanh",
                                    doc = "x within [min_val, max_val], which take x's dtype.";
  static constexpr std::string_view signatures =
      "(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor";
  static constexpr Promote promote = Promote::attribute;
  static constexpr Accepts accepts = Accepts::no_bool;
  static void shape(ShapeCall& call);
  static auto value(auto x, auto low, auto high) { return m::minimum(m::maximum(x, low), high); }
  static auto vjp(auto g, auto x, auto low, auto high, auto) {
    return std::make_tuple(m::where(x <= low || x >= high, m::like(g, 0.0), g));
  }
};

}  // namespace ops

inline constexpr ops::PointwiseFunction<ops::Sigmoid> sigmoid;
inline constexpr ops::PointwiseFunction<ops::Relu> relu;
inline constexpr ops::PointwiseFunction<ops::Silu> silu;
inline constexpr ops::InPlace<ops::Sigmoid> sigmoid_;
inline constexpr ops::InPlace<ops::Relu> relu_;
inline constexpr ops::InPlace<ops::Silu> silu_;

Tensor gelu(ops::At x, std::string_view approximate = "none");  // or "tanh"
inline Tensor leaky_relu(ops::At x, const Scalar& negative_slope = 0.01) {
  return ops::call<ops::LeakyRelu>(x.where, {x.operand, negative_slope});
}
inline Tensor elu(ops::At x, const Scalar& alpha = 1, const Scalar& scale = 1,
                  const Scalar& input_scale = 1) {
  return ops::call<ops::Elu>(x.where, {x.operand, alpha, scale, input_scale});
}
inline Tensor softplus(ops::At x, const Scalar& beta = 1, const Scalar& threshold = 20) {
  return ops::call<ops::Softplus>(x.where, {x.operand, beta, threshold});
}
inline Tensor hardtanh(ops::At x, const Scalar& min_val = -1, const Scalar& max_val = 1) {
  return ops::call<ops::Hardtanh>(x.where, {x.operand, min_val, max_val});
}

}  // namespace vitro
