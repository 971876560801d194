// Shared by tests of compiled programs: checks that a program gives the same bits compiled and
// eager.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <vector>

#include "vitro/compile/compile.h"
#include "vitro/ops/all.h"

namespace vitro {

using Tensors = std::vector<Tensor>;
using Program = std::function<Tensors(const Tensors&)>;

// 0.25, 0.375, 0.5, ... of both signs, with these sizes.
inline Tensor numbers(std::initializer_list<int64_t> sizes, DType dtype = DType::f32) {
  int64_t count = 1;
  for (const int64_t s : sizes) count *= s;
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) {
    const float value = 0.25f + 0.125f * static_cast<float>(i % 19);
    values.push_back(i % 3 == 1 ? -value : value);
  }
  return to(Tensor::from<float>(values, sizes), dtype);
}

inline void expect_same(const Tensor& got, const Tensor& want, const char* what) {
  ASSERT_EQ(got.dtype(), want.dtype()) << what;
  ASSERT_TRUE(attribute::same(got.sizes(), want.sizes())) << what;
  ASSERT_TRUE(attribute::same(got.strides(), want.strides())) << what;
  const Tensor a = contiguous(got), b = contiguous(want);
  const auto bytes = static_cast<size_t>(a.numel().value() * bytes_of(a.dtype()));
  EXPECT_TRUE(bytes == 0 || std::memcmp(a.const_data(), b.const_data(), bytes) == 0) << what;
}

// Calls the program three times, compiled and eager, on fresh inputs. Expects the same bits in
// results and inputs, and every segment to be compiled.
inline void expect_agreement(const Program& program, const std::function<Tensors()>& inputs) {
  auto fast = compile(program);
  for (int call = 0; call < 3; ++call) {
    const Tensors mine = inputs(), theirs = inputs();
    const Tensors want = program(mine), got = fast(theirs);
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < want.size(); ++i) expect_same(got[i], want[i], "result");
    for (size_t i = 0; i < mine.size(); ++i) expect_same(theirs[i], mine[i], "input");
  }
  for (const SegmentReport& segment : fast.report().segments) EXPECT_EQ(segment.why_not, "");
}

}  // namespace vitro
