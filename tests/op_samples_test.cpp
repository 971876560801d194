#include "op_samples.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

namespace vitro::test {
namespace {

std::span<const std::byte> bytes_of(const auto& array) {
  return std::as_bytes(std::span(array));
}

SampleResult floats(const auto& values) {
  return {"f32", {static_cast<int64_t>(std::size(values))}, bytes_of(values), {1}, std::nullopt};
}

void expect_inside(const SampleTensor& t, const std::string& where) {
  int64_t last = t.offset, width = size_of_dtype(t.dtype);
  bool empty = false;
  for (size_t i = 0; i < t.sizes.size(); ++i) {
    empty |= t.sizes[i] == 0;
    last += (t.sizes[i] - 1) * t.strides[i];
  }
  EXPECT_TRUE(empty || (last + 1) * width <= static_cast<int64_t>(t.buffer.size())) << where;
}

TEST(OpSamples, every_sample_reads_and_its_operands_stay_inside_their_buffers) {
  std::set<std::string> ops;
  size_t count = 0;
  for (const std::string& family : OpSamples::families()) {
    OpSamples all = OpSamples::read(family);
    count += all.samples().size();
    for (const OpSample& sample : all.samples()) {
      ops.insert(sample.op);
      EXPECT_NE(sample.error, !sample.results.empty()) << sample.where;
      for (const SampleOperand& operand : sample.operands)
        if (const auto* t = std::get_if<SampleTensor>(&operand)) expect_inside(*t, sample.where);
    }
  }
  EXPECT_GE(ops.size(), 90U);
  EXPECT_GE(count, 5000U);
}

TEST(OpSamples, a_result_equals_itself_and_no_other) {
  for (const std::string& family : OpSamples::families()) {
    OpSamples all = OpSamples::read(family);
    for (const OpSample& sample : all.samples())
      for (const SampleResult& result : sample.results) {
        if (result.dtype.empty()) continue;  // an undefined tensor
        EXPECT_EQ(difference(result, result.elements, sample.tolerance), "") << sample.where;
        if (result.elements.empty()) continue;
        std::vector<std::byte> changed(result.elements.begin(), result.elements.end());
        changed.back() ^= std::byte{0x40};
        bool nan_to_nan = result.dtype[0] == 'f' || result.dtype[0] == 'b';
        EXPECT_TRUE(nan_to_nan || difference(result, changed, sample.tolerance) != "")
            << sample.where;
      }
  }
}

TEST(OpSamples, without_a_tolerance_bits_decide_but_any_nan_is_a_nan) {
  float want[] = {0.0F, NAN, 1.0F}, same[] = {0.0F, -NAN, 1.0F}, zero[] = {-0.0F, NAN, 1.0F};
  EXPECT_EQ(difference(floats(want), bytes_of(same), {}), "");
  EXPECT_EQ(difference(floats(want), bytes_of(zero), {}), "element 0 of 3: got -0, needed 0");
  EXPECT_EQ(difference(floats(want), bytes_of(zero), {.bits = false}), "");
}

TEST(OpSamples, a_tolerance_counts_units_in_the_last_place) {
  float want[] = {1.0F, 1e-45F},
        two[] = {std::nextafter(std::nextafter(1.0F, 2.0F), 2.0F), -1e-45F};
  EXPECT_EQ(difference(floats(want), bytes_of(two), {.bits = false, .ulps = 2}), "");
  EXPECT_NE(difference(floats(want), bytes_of(two), {.bits = false, .ulps = 1}), "");
  EXPECT_EQ(
      difference(floats(want), bytes_of(two), {.bits = false, .relative = 3e-7, .absolute = 1e-30}),
      "");
}

TEST(OpSamples, far_numbers_of_opposite_signs_are_apart) {
  double want[] = {1e300}, got[] = {-1e300};
  SampleResult result{"f64", {1}, bytes_of(want), {1}, std::nullopt};
  EXPECT_NE(difference(result, bytes_of(got), {.bits = false, .ulps = 4}), "");
  double infinite[] = {INFINITY};
  SampleResult overflow{"f64", {1}, bytes_of(infinite), {1}, std::nullopt};
  EXPECT_NE(difference(overflow, bytes_of(want), {.bits = false, .ulps = 4, .relative = 1e-9}), "");
  EXPECT_NE(difference(result, bytes_of(infinite), {.bits = false, .ulps = 4, .relative = 1e-9}),
            "");
}

}  // namespace
}  // namespace vitro::test
