#include "vitro/core/dtype.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace vitro {
namespace {

// The nearest f16 value by exhaustive search: an oracle independent of the conversion.
uint16_t nearest_half(float v) {
  uint16_t best = 0;
  double distance = std::numeric_limits<double>::infinity();
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
    Half h;
    h.bits = static_cast<uint16_t>(bits);
    const double d =
        std::abs(static_cast<double>(static_cast<float>(h)) - std::abs(static_cast<double>(v)));
    if (d < distance || (d == distance && (bits & 1) == 0)) {
      distance = d;
      best = static_cast<uint16_t>(bits);
    }
  }
  return std::signbit(v) ? best | 0x8000 : best;
}

TEST(Half, rounds_to_the_nearest_even) {
  for (const float v : {0.0F, -0.0F, 1.0F, 0.1F, -3.14159F, 65504.0F, 6.1e-5F, 5.96e-8F, 2.9e-8F,
                        2.98023e-8F, 1e-3F, 2049.0F, 2051.0F}) {
    EXPECT_EQ(Half(v).bits, nearest_half(v)) << v;
  }
}

TEST(Half, keeps_every_value_it_can_hold) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    Half h;
    h.bits = static_cast<uint16_t>(bits);
    const auto f = static_cast<float>(h);
    if (std::isnan(f)) {
      EXPECT_TRUE(std::isnan(static_cast<float>(Half(f))));
    } else {
      EXPECT_EQ(Half(f).bits, bits);
    }
  }
}

TEST(Half, overflows_to_infinity) {
  EXPECT_EQ(Half(65519.0F).bits, 0x7bff);
  EXPECT_EQ(Half(65520.0F).bits, 0x7c00);
  EXPECT_EQ(Half(-1e30F).bits, 0xfc00);
}

TEST(BFloat16, rounds_to_the_nearest_even_and_keeps_nan) {
  EXPECT_EQ(BFloat16(1.0F).bits, 0x3f80);
  EXPECT_EQ(BFloat16(std::bit_cast<float>(0x3f808000U)).bits, 0x3f80);
  EXPECT_EQ(BFloat16(std::bit_cast<float>(0x3f818000U)).bits, 0x3f82);
  EXPECT_TRUE(std::isnan(static_cast<float>(BFloat16(std::nanf("")))));
}

TEST(Promotion, numbers_raise_only_the_category) {
  Promotion p;
  p.add(DType::f16, Promotion::Rank::dimensioned);
  p.add(DType::f64, Promotion::Rank::number);
  EXPECT_EQ(p.result(), DType::f16);
  Promotion q;
  q.add(DType::i32, Promotion::Rank::dimensioned);
  q.add(DType::f64, Promotion::Rank::zero_dim);
  EXPECT_EQ(q.result(), DType::f64);
}

}  // namespace
}  // namespace vitro
