#include <atomic>
#include <barrier>
#include <thread>

#include "capture/testing.h"

namespace vitro {
namespace {

void on_threads(int count, const std::function<void(int)>& body) {
  std::barrier start(count);
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t) {
    threads.emplace_back([&, t] {
      start.arrive_and_wait();
      body(t);
    });
  }
  for (std::thread& t : threads) t.join();
}

TEST(Threads, CallOneFunctionAtOnce) {
  auto f = compile([](const Tensor& x) { return mul(add(exp(x), x), 2.0); }, graphs());
  const Tensor x = vec({0, 1, 2}), want = mul(add(exp(x), x), 2.0);
  std::atomic<int> wrong{0};
  on_threads(4, [&](int) {
    for (int i = 0; i < 200; ++i) wrong += values(f(x)) != values(want);
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(f.report().calls, 800U);
}

TEST(Threads, MayTakeDifferentWays) {
  auto f = compile(
      [](const Tensor& x, int way) {
        Tensor y = add(x, 1.0);
        if (sum(y).item<float>() > 100) y = mul(y, 0.5);
        for (int i = 0; i < way; ++i) y = add(y, static_cast<double>(way));
        return y;
      },
      graphs());
  std::atomic<int> wrong{0};
  on_threads(4, [&](int t) {
    for (int i = 0; i < 100; ++i) {
      const int64_t n = 2 + (t * 7 + i) % 9;
      const Tensor x = counted({n}, static_cast<float>(i % 5) * 4);
      Tensor y = add(x, 1.0);
      if (sum(y).item<float>() > 100) y = mul(y, 0.5);
      for (int k = 0; k < t; ++k) y = add(y, static_cast<double>(t));
      wrong += values(f(x, t)) != values(y);
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST(Threads, ReadTheReportAndResetMeanwhile) {
  auto f = compile([](const Tensor& x, double n) { return mul(add(x, n), 2.0); }, graphs());
  std::atomic<bool> done{false};
  std::thread reader([&] {
    while (!done) {
      (void)f.report();
      f.reset();
    }
  });
  std::atomic<int> wrong{0};
  on_threads(3, [&](int t) {
    for (int i = 0; i < 100; ++i)
      wrong += values(f(vec({1, 2}), t)) != std::vector<float>{2.0F * (1 + t), 2.0F * (2 + t)};
  });
  done = true;
  reader.join();
  EXPECT_EQ(wrong, 0);
}

// A backend that waits in the middle of compiling for another thread's call.
class Slow final : public capture::SegmentRunner {
 public:
  std::shared_ptr<capture::CompiledSegment> compile(const graph::Graph& graph, const std::string&,
                                                    std::string*) override {
    compiling = true;
    while (!go_on) std::this_thread::yield();
    return capture::interpreted_segment(graph);
  }
  std::atomic<bool> compiling{false}, go_on{false};
};

TEST(Threads, DoNotWaitForACompilerThatIsBusy) {
  auto slow = std::make_shared<Slow>();
  capture::register_runner("slow", slow);
  CompileOptions options = graphs();
  options.backend = "slow";
  auto f = compile([](const Tensor& x) { return add(x, 1.0); }, options);
  std::thread first([&] { EXPECT_EQ(values(f(vec({1}))), (std::vector<float>{2})); });
  while (!slow->compiling) std::this_thread::yield();
  EXPECT_EQ(values(f(vec({5}))), (std::vector<float>{6}));
  slow->go_on = true;
  first.join();
  EXPECT_EQ(values(f(vec({6}))), (std::vector<float>{7}));
}

TEST(Threads, AResultMayBeReleasedByAnother) {
  auto f = compile([](const Tensor& x) { return exp(x); }, graphs());
  for (int i = 0; i < 50; ++i) {
    Tensor y = f(vec({1}));
    std::thread([moved = std::move(y)]() mutable { moved = Tensor(); }).join();
  }
}

}  // namespace
}  // namespace vitro
