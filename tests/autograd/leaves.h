// Leaves and other tensors of f64 for tests of gradients, and their elements.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <vector>

#include "vitro/ops/all.h"

namespace vitro::test {

using Numbers = std::vector<double>;

inline Tensor constant(const Numbers& values) {
  return Tensor::from(values, {static_cast<int64_t>(values.size())});
}
inline Tensor leaf(const Numbers& values, std::initializer_list<int64_t> sizes) {
  return Tensor::from(values, sizes).set_requires_grad(true);
}
inline Tensor leaf(const Numbers& values) {
  return constant(values).set_requires_grad(true);
}
inline Numbers numbers(const Tensor& t) {
  return contiguous(detach(t)).to_vector<double>();
}
inline void expect_near(const Tensor& got, const Numbers& want) {
  const Numbers have = numbers(got);
  ASSERT_EQ(have.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i)
    EXPECT_NEAR(have[i], want[i], 1e-12 * std::abs(want[i]) + 1e-14) << i;
}

}  // namespace vitro::test
