// Many threads call one compiled function, from its first call on.
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <cmath>
#include <thread>

#include "vitro/compile/compile.h"
#include "vitro/init.h"
#include "vitro/models/mlp.h"
#include "vitro/nn/init.h"
#include "vitro/ops/all.h"

namespace vitro {
namespace {

TEST(CompiledThreads, that_come_while_the_first_compiles_get_the_same_numbers) {
  init();
  models::Mlp model{48, 64, 10};
  const auto f = [&](const Tensor& x) { return softmax(model(x) * 1.5, -1); };
  for (int round = 0; round < 3; ++round) {
    auto fast = compile(f);
    std::vector<Tensor> inputs, wanted;
    for (int64_t t = 0; t < 4; ++t) {
      inputs.push_back(nn::normal({6, 48}, 0, 1));
      wanted.push_back(f(inputs.back()));
    }
    std::barrier start(4);
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (size_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        start.arrive_and_wait();
        for (int i = 0; i < 30; ++i) {
          const std::vector<float> got = fast(inputs[t]).to_vector<float>(),
                                   want = wanted[t].to_vector<float>();
          for (size_t e = 0; e < got.size(); ++e) wrong += std::abs(got[e] - want[e]) > 1e-6F;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
    const CompiledReport report = fast.report();
    EXPECT_EQ(report.calls, 4 * 30U);
    ASSERT_EQ(report.segments.size(), 1U);
    EXPECT_TRUE(report.segments[0].compiled) << report.segments[0].why_not;
    EXPECT_TRUE(report.fallbacks.empty());
  }
}

TEST(CompiledThreads, that_change_a_parameter_in_turn_see_their_own) {
  init();
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  Tensor weights[3];
  for (Tensor& w : weights) {
    w = nn::normal({32, 32}, 0, 1);
    w.set_parameter(true);
  }
  auto fast = compile([](const Tensor& x, const Tensor& w) { return linear(x, w); });
  for (size_t t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      const Tensor x = nn::normal({5, 32}, 0, 1);
      const std::vector<float> want = linear(x, weights[t]).to_vector<float>();
      for (int i = 0; i < 40; ++i) {
        const std::vector<float> got = fast(x, weights[t]).to_vector<float>();
        for (size_t e = 0; e < got.size(); ++e) wrong += std::abs(got[e] - want[e]) > 1e-4F;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace vitro
