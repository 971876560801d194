// Batch norms in training: how their sweeps over channels-last images are divided.
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "vitro/compile/compile.h"
#include "vitro/init.h"
#include "vitro/nn/layers.h"
#include "vitro/ops/all.h"

namespace vitro {
namespace {

struct Norm : nn::Module {
  nn::BatchNorm2d bn{*this, "bn", 64};
  Tensor operator()(const Tensor& x) const { return relu(bn(x)); }
};

struct ConvNorm : nn::Module {
  nn::Conv2d conv{*this, "conv", 64, 64, {3, 3}, {.padding = 1}, false};
  nn::BatchNorm2d bn{*this, "bn", 64};
  Tensor operator()(const Tensor& x) const { return relu(bn(conv(x))); }
};

Tensor channels_last(int64_t n, int64_t c, int64_t side) {
  return permute(sin(reshape(arange(n * side * side * c), {n, side, side, c}) * 0.37),
                 {0, 3, 1, 2});
}

const BuildReport& build_of(const CompiledReport& report) {
  EXPECT_EQ(report.segments.size(), 1U);
  return *report.segments.at(0).build;
}

bool is_decided_by(const BuildReport& build, std::string_view code) {
  return std::ranges::any_of(build.fusion, [&](const FusionReport& decision) {
    return decision.verdict.code && decision.verdict.code->id == code;
  });
}

bool has_op(const BuildReport& build, std::string_view prefix) {
  return std::ranges::any_of(build.launches, [&](const LaunchReport& launch) {
    return std::ranges::any_of(launch.ops,
                               [&](const std::string& op) { return op.starts_with(prefix); });
  });
}

void expect_equal(const Tensor& a, const Tensor& b) {
  EXPECT_EQ(contiguous(a).to_vector<float>(), contiguous(b).to_vector<float>());
}

// The statistics are written by the sweep that computes them: each sweep is a kernel of its own.
TEST(Statistics, of_channels_last_images_are_swept_in_the_order_of_memory) {
  init();
  const Norm eager, model;
  auto fast = compile([&](const Tensor& x) { return model(x); }, {.exact = true});
  const Tensor x = channels_last(4, 64, 32);
  for (int i = 0; i < 3; ++i) expect_equal(fast(x), eager(x));
  expect_equal(model.bn.running_mean, eager.bn.running_mean);
  expect_equal(model.bn.running_var, eager.bn.running_var);
  const CompiledReport report = fast.report();
  EXPECT_TRUE(is_decided_by(build_of(report), "V0414"));
  EXPECT_EQ(build_of(report).launches.size(), 3U);  // the mean, the variance, the result
}

// A later sweep reads what an earlier one would have written.
TEST(Statistics, that_a_later_sweep_reads_are_not_written_before) {
  init();
  const auto body = [](const Tensor& x, const Tensor& running) {
    const Tensor average = mean(x, {0, 2, 3}, true);
    const Tensor old = running * 1.5;
    (void)copy_(running, old + reshape(average, {-1}));
    const Tensor spread = mean(square(x - average), {0, 2, 3}, true);
    return (x - average) * rsqrt(spread + reshape(old, {1, -1, 1, 1}));
  };
  auto fast = compile(body, {.exact = true});
  const Tensor x = channels_last(4, 64, 32), a = ones({64}), b = ones({64});
  for (int i = 0; i < 3; ++i) expect_equal(fast(x, a), body(x, b));
  expect_equal(a, b);
}

// The product is in memory, and so are its means: their difference is not stored, too.
TEST(Statistics, of_a_product_leave_no_differences_in_memory) {
  init();
  const ConvNorm eager, model;
  for (const ConvNorm* one : {&eager, &model}) {
    const NoGrad off;
    (void)copy_(one->conv.weight, sin(reshape(arange(64 * 64 * 9), {64, 64, 3, 3}) * 0.11) * 0.1);
  }
  auto fast = compile([&](const Tensor& x) { return model(x); }, {.exact = true});
  const Tensor x = channels_last(2, 64, 32);
  expect_equal(fast(x), eager(x));
  expect_equal(model.bn.running_var, eager.bn.running_var);
  EXPECT_FALSE(has_op(build_of(fast.report()), "sub"));
}

// An epilogue of the product takes it from the registers, and is stored once.
TEST(Statistics, do_not_keep_an_epilogue_from_its_product) {
  init();
  const Tensor w = sin(reshape(arange(64 * 64), {64, 64})) * 0.1;
  const auto body = [&](const Tensor& x) {
    const Tensor y = mm(x, w) - 0.5;
    return std::vector<Tensor>{exp(y), mm(y, w)};
  };
  auto fast = compile(body, {.exact = true});
  const Tensor x = sin(reshape(arange(128 * 64), {128, 64}));
  const std::vector<Tensor> got = fast(x), want = body(x);
  for (size_t i = 0; i < 2; ++i) expect_equal(got[i], want[i]);
  EXPECT_TRUE(has_op(build_of(fast.report()), "sub"));
}

}  // namespace
}  // namespace vitro
