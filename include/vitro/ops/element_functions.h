// Functions of elements that need loops whose length depends on the elements: they are opaque
// kernels, one element after the other, so that they are not fused. Operands are promoted and
// broadcast like those of pointwise ops; they are computed in f64, or i64, and rounded once.
//   Tensor d = gcd(a, b);   Tensor p = igamma(a, x);   Tensor z = special_zeta(x, q);
#pragma once

#include "vitro/ops/define.h"

namespace vitro {
namespace ops {

struct ElementFunction {
  static constexpr OpKind kind = OpKind::opaque;
  static constexpr int arity = 2;
  static constexpr std::string_view signatures = "(Tensor self, Tensor other) -> Tensor";
};

struct Gcd : ElementFunction {
  static constexpr std::string_view name = "gcd",
                                    doc = "The greatest common divisor, not negative.";
  static constexpr std::string_view in_place_signatures =
      "(Tensor(a!) self, Tensor other) -> Tensor(a!)";
  static constexpr std::string_view not_differentiable = "it takes no floating-point numbers";
  static void shape(ShapeCall& call);
  static void kernel(const OpaqueCall& call);
};

struct Nextafter : ElementFunction {
  static constexpr std::string_view name = "nextafter",
                                    doc =
                                        "The number after x in the direction of `other`. Its "
                                        "gradient is that of x where they differ.";
  static constexpr std::string_view in_place_signatures =
      "(Tensor(a!) self, Tensor other) -> Tensor(a!)";
  static void shape(ShapeCall& call);
  static void kernel(const OpaqueCall& call);
  static void gradient(Formula& f);
};

struct Zeta : ElementFunction {
  static constexpr std::string_view name = "special_zeta",
                                    doc =
                                        "Hurwitz's zeta function: the sum of (other + k)^-x for k "
                                        "from 0 on; for x > 1. Without a gradient of x.";
  static constexpr std::string_view signatures =
      "(Tensor self, Tensor other) -> Tensor\n"
      ".self_scalar(Scalar self, Tensor other) -> Tensor\n"
      ".other_scalar(Tensor self, Scalar other) -> Tensor";
  static void shape(ShapeCall& call);
  static void kernel(const OpaqueCall& call);
  static void gradient(Formula& f);
};

struct Igamma : ElementFunction {
  static constexpr std::string_view name = "igamma",
                                    doc =
                                        "The regularized lower incomplete gamma function P(x, "
                                        "other). Without a gradient of x.";
  static constexpr std::string_view in_place_signatures =
      "(Tensor(a!) self, Tensor other) -> Tensor(a!)";
  static void shape(ShapeCall& call);
  static void kernel(const OpaqueCall& call);
  static void gradient(Formula& f);
};

struct Igammac : ElementFunction {
  static constexpr std::string_view name = "igammac",
                                    doc =
                                        "The regularized upper incomplete gamma function, 1 - "
                                        "igamma. Without a gradient of x.";
  static constexpr std::string_view in_place_signatures =
      "(Tensor(a!) self, Tensor other) -> Tensor(a!)";
  static void shape(ShapeCall& call);
  static void kernel(const OpaqueCall& call);
  static void gradient(Formula& f);
};

// Of the degree n, which is rounded towards 0; 0 for negative n. Beyond the degree of a million
// NaN, except for Chebyshev's within [-1, 1].
struct OrthogonalPolynomial : ElementFunction {
  static constexpr std::string_view signatures =
      "(Tensor x, Tensor n) -> Tensor\n"
      ".x_scalar(Scalar x, Tensor n) -> Tensor\n"
      ".n_scalar(Tensor x, Scalar n) -> Tensor";
  static constexpr std::string_view not_differentiable = "torch defines none";
  static void shape(ShapeCall& call);
};
#define VITRO_POLYNOMIAL(type, op, text)                                                     \
  struct type : OrthogonalPolynomial {                                                       \
    static constexpr std::string_view name = "special_" op, doc = text " of degree n of x."; \
    static void kernel(const OpaqueCall& call);                                              \
  };
VITRO_POLYNOMIAL(ChebyshevT, "chebyshev_polynomial_t", "Chebyshev's polynomial T")
VITRO_POLYNOMIAL(ChebyshevU, "chebyshev_polynomial_u", "Chebyshev's polynomial U")
VITRO_POLYNOMIAL(ChebyshevV, "chebyshev_polynomial_v", "Chebyshev's polynomial V")
VITRO_POLYNOMIAL(ChebyshevW, "chebyshev_polynomial_w", "Chebyshev's polynomial W")
VITRO_POLYNOMIAL(ShiftedChebyshevT, "shifted_chebyshev_polynomial_t",
                 "Chebyshev's polynomial T, of 2 x - 1,")
VITRO_POLYNOMIAL(ShiftedChebyshevU, "shifted_chebyshev_polynomial_u",
                 "Chebyshev's polynomial U, of 2 x - 1,")
VITRO_POLYNOMIAL(ShiftedChebyshevV, "shifted_chebyshev_polynomial_v",
                 "Chebyshev's polynomial V, of 2 x - 1,")
VITRO_POLYNOMIAL(ShiftedChebyshevW, "shifted_chebyshev_polynomial_w",
                 "Chebyshev's polynomial W, of 2 x - 1,")
VITRO_POLYNOMIAL(HermiteH, "hermite_polynomial_h", "The physicists' polynomial of Hermite")
VITRO_POLYNOMIAL(HermiteHe, "hermite_polynomial_he", "The statisticians' polynomial of Hermite")
VITRO_POLYNOMIAL(LaguerreL, "laguerre_polynomial_l", "Laguerre's polynomial")
VITRO_POLYNOMIAL(LegendreP, "legendre_polynomial_p", "Legendre's polynomial")
#undef VITRO_POLYNOMIAL

}  // namespace ops

inline constexpr ops::PointwiseFunction<ops::Gcd> gcd;
inline constexpr ops::PointwiseFunction<ops::Nextafter> nextafter;
inline constexpr ops::PointwiseFunction<ops::Zeta> special_zeta;
inline constexpr ops::PointwiseFunction<ops::Igamma> igamma;
inline constexpr ops::PointwiseFunction<ops::Igammac> igammac;
inline constexpr ops::PointwiseFunction<ops::ChebyshevT> special_chebyshev_polynomial_t;
inline constexpr ops::PointwiseFunction<ops::ChebyshevU> special_chebyshev_polynomial_u;
inline constexpr ops::PointwiseFunction<ops::ChebyshevV> special_chebyshev_polynomial_v;
inline constexpr ops::PointwiseFunction<ops::ChebyshevW> special_chebyshev_polynomial_w;
inline constexpr ops::PointwiseFunction<ops::ShiftedChebyshevT>
    special_shifted_chebyshev_polynomial_t;
inline constexpr ops::PointwiseFunction<ops::ShiftedChebyshevU>
    special_shifted_chebyshev_polynomial_u;
inline constexpr ops::PointwiseFunction<ops::ShiftedChebyshevV>
    special_shifted_chebyshev_polynomial_v;
inline constexpr ops::PointwiseFunction<ops::ShiftedChebyshevW>
    special_shifted_chebyshev_polynomial_w;
inline constexpr ops::PointwiseFunction<ops::HermiteH> special_hermite_polynomial_h;
inline constexpr ops::PointwiseFunction<ops::HermiteHe> special_hermite_polynomial_he;
inline constexpr ops::PointwiseFunction<ops::LaguerreL> special_laguerre_polynomial_l;
inline constexpr ops::PointwiseFunction<ops::LegendreP> special_legendre_polynomial_p;

// Where the least common multiple, not negative, does not fit the dtype, it wraps around.
Tensor lcm(ops::At x, const Tensor& other);

}  // namespace vitro
