// Compiled functions and deferred tensors on several threads.
#include <atomic>
#include <barrier>
#include <functional>
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

TEST(Threads, call_one_function_at_once) {
  auto f = compile([](const Tensor& x) { return mul(add(exp(x), x), 2.0); }, graphs());
  const Tensor x = vec({0, 1, 2}), want = mul(add(exp(x), x), 2.0);
  std::atomic<int> wrong{0};
  on_threads(4, [&](int) {
    for (int i = 0; i < 200; ++i) wrong += values(f(x)) != values(want);
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(f.report().calls, 4 * 200U);
}

TEST(Threads, may_take_different_ways) {
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

TEST(Threads, read_the_report_and_reset_meanwhile) {
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

// A backend that blocks while compiling until another thread's call has finished.
class Slow final : public capture::SegmentCompiler {
 public:
  std::shared_ptr<capture::CompiledSegment> compile(const graph::Graph& graph, const std::string&,
                                                    std::string*) override {
    compiling = true;
    while (!go_on) std::this_thread::yield();
    return capture::interpreted_segment(graph);
  }
  std::atomic<bool> compiling{false}, go_on{false};
};

TEST(Threads, do_not_wait_for_a_compiler_that_is_busy) {
  auto slow = std::make_shared<Slow>();
  capture::register_compiler("slow", slow);
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

// The error of `use` on another thread, applied to a tensor that this thread has not computed yet.
template <class Use>
std::string said_elsewhere(Use use) {
  std::string said;
  auto f = compile(
      [&](const Tensor& x) {
        const Tensor pending = add(x, 1.0);
        std::thread([&] { said = error_of([&] { use(pending); }); }).join();
        return mul(pending, 2.0);
      },
      graphs());
  for (const int64_t n : {3, 4}) {  // numbers, then symbols
    said = "";
    EXPECT_EQ(values(f(counted({n}))), values(mul(add(counted({n}), 1.0), 2.0)));
    EXPECT_NE(said.find("is the pending result of a compiled function that another thread"),
              std::string::npos)
        << said;
    EXPECT_NE(said.find("pass it on after the function has returned"), std::string::npos);
  }
  return said;
}

TEST(Threads, do_not_touch_pending_tensors_of_others) {
  EXPECT_TRUE(said_elsewhere([](const Tensor& t) { (void)exp(t); }).starts_with("exp: "));
  EXPECT_TRUE(said_elsewhere([](const Tensor& t) { add_(t, 1.0); }).starts_with("add_: "));
  EXPECT_TRUE(
      said_elsewhere([](const Tensor& t) { (void)cat({vec({1}), t}); }).starts_with("cat: "));
  (void)said_elsewhere([](const Tensor& t) { (void)t.const_data(); });
  (void)said_elsewhere([](const Tensor& t) { (void)t.item(); });
  (void)said_elsewhere([](const Tensor& t) { (void)t.size(0); });
  (void)said_elsewhere([](const Tensor& t) { (void)t.meta(); });
}

TEST(Threads, do_not_give_pending_tensors_of_others_to_compiled_functions) {
  const auto g = compile([](const Tensor& t) { return exp(t); }, graphs("g"));
  (void)said_elsewhere([&](const Tensor& t) { (void)g(t); });
  CompileOptions frozen = graphs("cold");
  frozen.fullgraph = frozen.frozen = true;
  const auto cold = compile([](const Tensor& t) { return exp(t); }, frozen);
  (void)said_elsewhere([&](const Tensor& t) { (void)cold(t); });
  (void)cold(vec({1, 2, 3}));
  (void)said_elsewhere([&](const Tensor& t) { (void)cold(t); });
  (void)said_elsewhere([&](const Tensor& t) {  // captured by the function, not an argument
    (void)compile([&](const Tensor& u) { return add(t, u); }, graphs("h"))(vec({1}));
  });
}

TEST(Threads, may_use_a_tensor_that_was_read_before) {
  auto f = compile(
      [&](const Tensor& x) {
        const Tensor ready = add(x, 1.0);
        (void)ready.const_data();
        Tensor made;
        std::thread([&] { made = exp(ready); }).join();
        return mul(made, ready);
      },
      graphs());
  const Tensor x = vec({1, 2});
  EXPECT_EQ(values(f(x)), values(mul(exp(add(x, 1.0)), add(x, 1.0))));
}

TEST(Threads, a_result_may_be_released_by_another) {
  auto f = compile([](const Tensor& x) { return exp(x); }, graphs());
  for (int i = 0; i < 50; ++i) {
    Tensor y = f(vec({1}));
    std::thread([moved = std::move(y)]() mutable { moved = Tensor(); }).join();
  }
}

}  // namespace
}  // namespace vitro
