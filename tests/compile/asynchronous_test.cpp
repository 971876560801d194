// Functions whose kernels are compiled on another thread.
#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "backend/jit/options.h"
#include "vitro/compile/compile.h"
#include "vitro/ops/all.h"
#include "vitro/vitro.h"

namespace vitro {
namespace {

Tensor numbers(const Sizes& sizes) {
  Size count = 1;
  for (const Size size : sizes) count = count * size;
  return reshape(sin(to(arange(count.value()), DType::f32) * 1.7F), sizes);
}

Tensor layer(const Tensor& x, const Tensor& w) {
  return softmax(relu(mm(x, w)) + 0.5, -1) * sum(x, {1}, true);
}

TEST(AsynchronousKernels, give_the_bits_of_the_calls_before_them) {
  const auto fast = compile(layer, {.asynchronous = true});
  const Tensor w = numbers({7, 9});
  for (int i = 0; i < 4; ++i) {
    for (const int64_t rows : {5, 3, 1}) {
      const Tensor x = numbers({rows, 7});
      EXPECT_EQ(fast(x, w).to_vector<float>(), layer(x, w).to_vector<float>());
    }
    if (i == 1) fast.wait();
  }
  size_t kernels = 0, runs = 0;
  for (const SegmentReport& segment : fast.report().segments) {
    EXPECT_TRUE(segment.compiled) << segment.why_not;
    kernels += static_cast<size_t>(segment.kernels), runs += segment.runs;
  }
  EXPECT_GT(kernels, 0U);
  EXPECT_GE(runs, 3U);
}

// Ends while the first kernels are compiled, and others wait.
[[noreturn]] void end_early() {
  init();
  jit::force_disable_caches.set(true);
  for (int i = 0; i < 8; ++i) {
    const auto f = compile([i](const Tensor& x) { return tanh(exp(x) * static_cast<double>(i)); },
                           {.asynchronous = true});
    (void)f(numbers({4, 4}));
  }
  std::exit(0);
}

TEST(AsynchronousKernelsDeathTest, the_process_may_end_before_they_are_made) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(end_early(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace vitro
