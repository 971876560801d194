// Functions of elements with kernels of their own: between generated kernels, for operands of any
// strides and dtypes, and the equations that their values satisfy.
#include <gtest/gtest.h>

#include <cmath>

#include "error_of.h"
#include "vitro/vitro.h"

namespace vitro {
namespace {

double distance(const Tensor& a, const Tensor& b) {
  return amax(abs(a - b)).item<double>();
}
Tensor numbers(const Sizes& sizes, double low, double high) {
  const Tensor places = to(arange(product(sizes)), DType::f64);
  return reshape(sin(places * places * 0.37 + 1.0) * ((high - low) / 2) + (high + low) / 2, sizes);
}

TEST(ElementFunctions, have_the_bits_of_eager_in_a_compiled_call) {
  const auto program = [](const Tensor& a, const Tensor& b) {
    const Tensor turned = transpose(a, 0, 1) + 0.5;
    const Tensor p = igamma(turned, b) + igammac(b, to(b, DType::f32) * 2.0);
    const Tensor n = gcd(to(a * 40.0, DType::i32), to(b * 30.0, DType::i64));
    return to(special_zeta(turned + 1.0, b), DType::f64) * p + nextafter(b, turned) +
           special_legendre_polynomial_p(b - 2.0, trunc(turned)) + to(lcm(n, n + 4), DType::f64) +
           i0(b) + polygamma(2, turned);
  };
  const auto fast = compile(program);
  for (const int64_t n : {3, 4, 7}) {
    const Tensor a = numbers({n, n}, 0.5, 5), b = numbers({n}, 0.5, 5);
    EXPECT_EQ(distance(fast(a, b), program(a, b)), 0) << n;
  }
}

TEST(ElementFunctions, satisfy_their_equations) {
  const Tensor a = numbers({1, 40}, 0.1, 300), x = numbers({30, 1}, 0.1, 400);
  EXPECT_LT(distance(igamma(a, x) + igammac(a, x), ones_like(x)), 1e-13);
  // P(a + 1, x) = P(a, x) - x^a e^-x / gamma(a + 1)
  const Tensor density = exp(a * log(x) - x - lgamma(a + 1.0));
  EXPECT_LT(distance(igamma(a + 1.0, x), igamma(a, x) - density), 1e-12);
  const Tensor s = numbers({20, 1}, 1.1, 9), q = numbers({1, 20}, 0.1, 20);
  const Tensor of_q = special_zeta(s, q);
  EXPECT_LT(distance((of_q - special_zeta(s, q + 1.0)) / of_q, pow(q, -s) / of_q), 1e-13);
  const Tensor two = full({}, 2.0, DType::f64);
  EXPECT_NEAR(special_zeta(two, 1).item<double>(), M_PI * M_PI / 6, 1e-15);
  // psi'(1 - x) + psi'(x) = pi^2 / sin(pi x)^2, with x far below 0
  const Tensor part = to(arange(1, 32), DType::f64) / 32.0, low = part - 1073741824.0;
  EXPECT_LT(distance((polygamma(1, 1.0 - low) + polygamma(1, low)) * square(sin(part * M_PI)),
                     full({31}, M_PI * M_PI, DType::f64)),
            1e-12);
}

TEST(ElementFunctions, for_large_arguments_end_soon_and_are_right) {
  // the normal distribution, of which gamma's is not far for large a
  const Tensor a = full({}, 1e12, DType::f64);
  EXPECT_NEAR(igammac(a, a + 1e6).item<double>(), 0.15865525393145707, 1e-6);
  EXPECT_EQ(igamma(a, a * 2.0).item<double>(), 1);
  EXPECT_TRUE(
      std::isnan(special_legendre_polynomial_p(full({}, 0.5, DType::f64), 1e18).item<double>()));
  EXPECT_EQ(special_chebyshev_polynomial_t(full({}, 1.0, DType::f64), 1e18).item<double>(), 1);
  EXPECT_TRUE(
      std::isnan(special_hermite_polynomial_h(full({}, 2.5, DType::f64), 1e18).item<double>()));
}

TEST(ElementFunctions, refuse_what_torch_refuses) {
  const Tensor f = ones({2}), i = ones({2}, DType::i64), b = ones({2}, DType::boolean);
  EXPECT_NE(error_of([&] { (void)gcd(f, f); }), "");
  EXPECT_EQ(error_of([&] { (void)gcd(b, b); }), "gcd: takes integers, got bool");
  EXPECT_NE(error_of([&] { (void)igamma(i, i); }), "");
  EXPECT_NE(error_of([&] { (void)nextafter(i, i); }), "");
  EXPECT_EQ(error_of([&] { (void)polygamma(-1, f); }), "polygamma: n must not be negative, got -1");
}

}  // namespace
}  // namespace vitro
