// NaN, infinities and zeros: what PyTorch makes of them.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "eager/eager.h"
#include "vitro/ops/all.h"
#include "vitro/ops/complex.h"

namespace vitro {
namespace {

class SpecialValues : public testing::Test {
 protected:
  static void SetUpTestSuite() { eager::init(); }
};

using Number = std::complex<double>;
constexpr double infinity = INFINITY, none = NAN;

std::vector<Number> numbers(const Tensor& z) {
  const std::vector<double> pairs = contiguous(view_as_real(z)).to_vector<double>();
  std::vector<Number> out;
  for (size_t i = 0; i < pairs.size(); i += 2) out.emplace_back(pairs[i], pairs[i + 1]);
  return out;
}
Tensor tensor(const std::vector<Number>& all) {
  std::vector<double> pairs;
  for (const Number& z : all) pairs.insert(pairs.end(), {z.real(), z.imag()});
  return view_as_complex(Tensor::from(pairs, {static_cast<int64_t>(all.size()), 2}));
}
bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || a == b;
}
bool same(const Number& a, const Number& b) {
  return same(a.real(), b.real()) && same(a.imag(), b.imag());
}

TEST_F(SpecialValues, quotients_of_infinities_and_zeros_are_those_of_torch) {
  const struct {
    Number a, b, quotient;
  } all[] = {
      {{0, 1}, {1e200, infinity}, {0, 0}},
      {{1, -2}, {0, 0}, {infinity, -infinity}},
      {{1, infinity}, {0, 0}, {infinity, infinity}},
      {{2, 0}, {0, 0}, {infinity, none}},
      {{0, 0}, {0, 0}, {none, none}},
      {{none, -infinity}, {0, 0}, {none, -infinity}},
      {{2, 0}, {0, infinity}, {0, 0}},
      {{infinity, 0}, {1, 2}, {infinity, -infinity}},
      {{infinity, 1}, {infinity, 0}, {none, none}},
      {{1, 1}, {infinity, infinity}, {none, none}},
      {{1e200, 1e200}, {1e200, 1e200}, {1, 0}},
      {{3, 4}, {0.5, 0}, {6, 8}},
  };
  std::vector<Number> left, right;
  for (const auto& [a, b, quotient] : all) {
    left.push_back(a);
    right.push_back(b);
  }
  const Tensor a = tensor(left), b = tensor(right);
  // In one visit, and by the formula on the parts.
  for (const Tensor& quotients : {div(a, b), squeeze(div(unsqueeze(a, 0), b), 0)}) {
    const std::vector<Number> got = numbers(quotients);
    for (size_t i = 0; i < got.size(); ++i)
      EXPECT_TRUE(same(got[i], all[i].quotient))
          << all[i].a << " / " << all[i].b << " is " << got[i] << ", not " << all[i].quotient;
  }
}

TEST_F(SpecialValues, powers_of_zero_are_those_of_torch) {
  const Tensor zeros = tensor(std::vector<Number>(5, Number(0, 0)));
  const Tensor by = tensor({{0, 0}, {2, 0}, {-1, 0}, {0, 1}, {1, 1}});
  const std::vector<Number> want{{none, none}, {0, 0}, {infinity, none}, {none, none}, {0, 0}};
  const std::vector<Number> got = numbers(pow(zeros, by)), of_number = numbers(pow(0.0, by));
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_TRUE(same(got[i], want[i])) << i << ": " << got[i];
    EXPECT_TRUE(same(of_number[i], want[i])) << i << ": " << of_number[i];
  }
  EXPECT_EQ(numbers(pow(zeros, 0))[0], Number(1, 0));
  EXPECT_EQ(numbers(pow(tensor({{1, 1}}), tensor({{0, 0}})))[0], Number(1, 0));
}

// A mask is added to the scores, so that NaN stays; is_causal leaves scores out.
TEST_F(SpecialValues, attention_shows_nan_in_a_key_that_a_mask_hides) {
  const Tensor ones = full({1, 2, 2}, 1.0);
  const Tensor k = Tensor::from({1.0F, 1.0F, NAN, 1.0F}, {1, 2, 2});
  const Tensor mask = Tensor::from({true, false, true, false}, {2, 2});  // the second key is hidden
  const auto is_nan = [](const Tensor& x) { return to(isnan(x), DType::i64).to_vector<int64_t>(); };
  using Flags = std::vector<int64_t>;
  EXPECT_EQ(is_nan(scaled_dot_product_attention(ones, k, ones, mask)), (Flags{1, 1, 1, 1}));
  EXPECT_EQ(is_nan(scaled_dot_product_attention(ones, ones, k, mask)), (Flags{1, 0, 1, 0}));
  EXPECT_EQ(is_nan(scaled_dot_product_attention(ones, k, ones, {}, 0, true)), (Flags{0, 0, 1, 1}));
  EXPECT_EQ(is_nan(scaled_dot_product_attention(ones, ones, ones, mask)), (Flags{0, 0, 0, 0}));
}

}  // namespace
}  // namespace vitro
