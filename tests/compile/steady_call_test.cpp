// Calls of a compiled function, after the first ones, allocate only their results and an arena.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <new>

#include "vitro/compile/compile.h"
#include "vitro/init.h"
#include "vitro/models/bert.h"
#include "vitro/models/mlp.h"
#include "vitro/nn/init.h"
#include "vitro/ops/all.h"
#include "vitro/runtime/memory.h"

namespace {

thread_local long taken = 0;

}  // namespace

// Sanitizers replace operator new themselves.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
void* operator new(size_t bytes) {
  ++taken;
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t) noexcept {
  std::free(memory);
}
#endif

namespace vitro {
namespace {

constexpr long blocks_of_a_result = 2;  // its TensorImpl and its storage

struct Taken {
  long blocks;      // by operator new
  int64_t tensors;  // of tensor memory, including arenas
};

// Allocations of a call after three equal ones.
template <class F, class... Inputs>
Taken taken_by(F& fast, const Inputs&... inputs) {
  for (int i = 0; i < 3; ++i) (void)fast(inputs...);
  const int64_t tensors = memory_stats().allocations;
  taken = 0;
  const auto result = fast(inputs...);
  return {taken, memory_stats().allocations - tensors};
}

TEST(SteadyCall, of_one_kernel_takes_memory_for_its_result_alone) {
  init();
  auto fast = compile([](const Tensor& x) { return exp(x) * 2.0; });
  const Taken t = taken_by(fast, nn::normal({1000}, 0, 1));
  EXPECT_LE(t.blocks, blocks_of_a_result);
  EXPECT_EQ(t.tensors, 1);
}

TEST(SteadyCall, of_many_kernels_takes_an_arena_and_its_result) {
  init();
  models::BertConfig config = models::BertConfig::mini_lm_l6();
  config.layers = 2;
  models::Bert model(config);
  auto fast = compile([&](const Tensor& ids) { return model(ids); });
  const Taken t = taken_by(fast, Tensor::from<int64_t>({1, 2, 3, 4, 5, 6}, {1, 6}));
  EXPECT_LE(t.blocks, blocks_of_a_result);
  EXPECT_EQ(t.tensors, 2);
}

TEST(SteadyCall, of_varying_sizes_takes_no_more) {
  init();
  models::Mlp model{784, 128, 10};
  auto fast = compile(std::ref(model));
  for (const int64_t rows : {4, 9, 13}) (void)fast(nn::normal({rows, 784}, 0, 1));
  const Taken t = taken_by(fast, nn::normal({9, 784}, 0, 1));
  EXPECT_LE(t.blocks, blocks_of_a_result);
  EXPECT_EQ(t.tensors, 2);
}

TEST(SteadyCall, launches_each_kernel_once) {
  init();
  models::Mlp model{784, 1024, 1024, 10};
  auto fast = compile(std::ref(model), {.exact = true});  // else kernels may pack parts of bf16
  (void)taken_by(fast, nn::normal({64, 784}, 0, 1));
  const CompiledReport report = fast.report();
  ASSERT_EQ(report.segments.size(), 1U);
  EXPECT_EQ(report.segments[0].kernels, 3);
  EXPECT_EQ(report.segments[0].runs, 4U);
  EXPECT_EQ(report.calls, 4U);
}

// Where a segment runs op by op, two values of a chain are held at a time.
TEST(OpByOp, values_are_released_after_their_last_use) {
  init();
  register_backend("fails", [](const graph::Graph&, std::span<const Operand>) -> GraphFunction {
    throw_error("not today");
  });
  constexpr int64_t bytes = 1 << 20;
  auto f = compile(
      [](Tensor x) {
        for (int i = 0; i < 20; ++i) x = x + 1.0;
        return sum(x);
      },
      {.backend = "fails"});
  const Tensor x = ones({bytes / 4});
  const int64_t before = memory_stats().live_bytes;
  reset_memory_peak();
  EXPECT_EQ(f(x).item<float>(), 21.0F * (bytes / 4));
  EXPECT_GE(memory_stats().peak_bytes - before, 2 * bytes);
  EXPECT_LT(memory_stats().peak_bytes - before, 4 * bytes);
  EXPECT_EQ(f.report().fallbacks.size(), 1U);
}

}  // namespace
}  // namespace vitro
