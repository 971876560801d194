// Functions that are compiled on another thread while their calls run op by op.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include "capture/testing.h"

namespace vitro {
namespace {

// A backend that compiles once it may.
class Held final : public capture::SegmentCompiler {
 public:
  std::shared_ptr<capture::CompiledSegment> compile(const graph::Graph& graph, const std::string&,
                                                    std::string*) override {
    std::unique_lock hold(lock_);
    changed_.wait(hold, [&] { return may_; });
    ++compiled_;
    return capture::interpreted_segment(graph);
  }
  void let() {
    const std::lock_guard hold(lock_);
    may_ = true;
    changed_.notify_all();
  }
  int compiled() {
    const std::lock_guard hold(lock_);
    return compiled_;
  }

 private:
  std::mutex lock_;
  std::condition_variable changed_;
  bool may_ = false;
  int compiled_ = 0;
};

// A backend that has kept everything.
class Kept final : public capture::SegmentCompiler {
 public:
  std::shared_ptr<capture::CompiledSegment> compile(const graph::Graph&, const std::string&,
                                                    std::string* why) override {
    *why = "it is kept";
    return nullptr;
  }
  std::shared_ptr<capture::CompiledSegment> load(const graph::Graph& graph,
                                                 const std::string&) override {
    return capture::interpreted_segment(graph);
  }
};

// Inside of another interpreter (pass_through.cpp) segments are compiled by the call.
bool is_inside() {
  const char* where = std::getenv("VITRO_TEST_INTERPRETER");
  return where && std::string_view(where) == "outside";
}

CompileOptions asynchronous(CompileOptions options = graphs()) {
  options.asynchronous = true;
  return options;
}
CompileOptions held(const std::shared_ptr<Held>& compiler, CompileOptions options = graphs()) {
  capture::register_compiler("held", compiler);
  options.backend = "held";
  return asynchronous(options);
}

TEST(Asynchronous, calls_do_not_wait_for_the_compiler) {
  if (is_inside()) GTEST_SKIP();
  const auto compiler = std::make_shared<Held>();
  const auto f = compile([](const Tensor& x) { return mul(add(x, 1.0), 2.0); }, held(compiler));
  EXPECT_EQ(values(f(vec({1, 2}))), (std::vector<float>{4, 6}));
  EXPECT_EQ(values(f(vec({3, 4}))), (std::vector<float>{8, 10}));
  EXPECT_EQ(compiler->compiled(), 0);
  compiler->let();
  f.wait();
  EXPECT_EQ(compiler->compiled(), 1);
  EXPECT_EQ(values(f(vec({5, 6}))), (std::vector<float>{12, 14}));
  const CompiledReport report = f.report();
  ASSERT_EQ(report.segments.size(), 1U);
  EXPECT_TRUE(report.segments[0].compiled);
  EXPECT_EQ(report.segments[0].runs, 1U);  // those before it were interpreted
  EXPECT_TRUE(report.fallbacks.empty());
}

TEST(Asynchronous, the_first_call_runs_what_was_kept) {
  if (is_inside()) GTEST_SKIP();
  capture::register_compiler("kept", std::make_shared<Kept>());
  CompileOptions options = graphs();
  options.backend = "kept";
  const auto f =
      compile([](const Tensor& x) { return mul(add(x, 1.0), 2.0); }, asynchronous(options));
  EXPECT_EQ(values(f(vec({1, 2}))), (std::vector<float>{4, 6}));
  const CompiledReport report = f.report();
  ASSERT_EQ(report.segments.size(), 1U);
  EXPECT_TRUE(report.segments[0].compiled) << report.segments[0].why_not;
  EXPECT_EQ(report.segments[0].runs, 1U);
}

TEST(Asynchronous, sizes_may_vary_meanwhile) {
  if (is_inside()) GTEST_SKIP();
  const auto compiler = std::make_shared<Held>();
  const auto f = compile([](const Tensor& x) { return add(x, x); }, held(compiler));
  for (const int64_t n : {3, 5, 7, 1, 3})
    EXPECT_EQ(values(f(counted({n}))), values(counted({n}, 2)));
  compiler->let();
  f.wait();
  for (const int64_t n : {3, 5, 7, 1, 9})
    EXPECT_EQ(values(f(counted({n}))), values(counted({n}, 2)));
}

TEST(Asynchronous, segments_after_breaks_and_writes_are_those_of_eager) {
  const auto body = [](const Tensor& x) {
    const Tensor y = add(x, 1.0);
    add_(x, y);
    const float total = sum(x).item<float>();
    return mul(y, total);
  };
  const auto f = compile(body, asynchronous());
  for (int i = 0; i < 4; ++i) {
    const Tensor x = counted({4}, static_cast<float>(i)), same = clone(x);
    EXPECT_EQ(values(f(x)), values(body(same)));
    EXPECT_EQ(values(x), values(same));
    if (i == 1) f.wait();
  }
  uint64_t runs = 0;
  for (const SegmentReport& segment : f.report().segments) runs += segment.runs;
  EXPECT_GE(runs, 2U);
}

TEST(Asynchronous, frozen_functions_are_frozen_once_compiled) {
  if (is_inside()) GTEST_SKIP();
  const auto compiler = std::make_shared<Held>();
  int bodies = 0;
  const auto f = compile(
      [&](const Tensor& x) {
        ++bodies;
        return mul(x, 3.0);
      },
      held(compiler, frozen()));
  EXPECT_EQ(values(f(vec({1}))), (std::vector<float>{3}));
  EXPECT_EQ(values(f(vec({2}))), (std::vector<float>{6}));
  EXPECT_EQ(bodies, 2);
  compiler->let();
  f.wait();
  EXPECT_EQ(values(f(vec({3}))), (std::vector<float>{9}));
  const int recorded = bodies;
  EXPECT_EQ(values(f(vec({4}))), (std::vector<float>{12}));
  EXPECT_EQ(bodies, recorded);
  EXPECT_EQ(compiler->compiled(), 1);
}

TEST(Asynchronous, sizes_by_data_are_compiled_by_the_call) {
  const auto body = [](const Tensor& x) { return sum(masked_select(x, gt(x, 2.0))); };
  const auto f = compile(body, asynchronous());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values(f(counted({6}))), values(body(counted({6}))));
}

TEST(Asynchronous, the_function_may_end_before_its_compilation) {
  if (is_inside()) GTEST_SKIP();
  const auto compiler = std::make_shared<Held>();
  {
    const auto f = compile([](const Tensor& x) { return add(x, 1.0); }, held(compiler));
    EXPECT_EQ(values(f(vec({1}))), (std::vector<float>{2}));
    f.reset();
    EXPECT_EQ(values(f(vec({2}))), (std::vector<float>{3}));
  }
  const auto after = compile([](const Tensor& x) { return mul(x, 2.0); }, asynchronous());
  EXPECT_EQ(values(after(vec({1}))), (std::vector<float>{2}));
  compiler->let();
  after.wait();  // tasks run in order
  EXPECT_EQ(compiler->compiled(), 2);
}

TEST(Asynchronous, a_backend_that_fails_is_replaced_by_eager) {
  register_backend("broken", [](const graph::Graph&, std::span<const Operand>) -> GraphFunction {
    throw std::runtime_error("not today");
  });
  CompileOptions options = graphs();
  options.backend = "broken";
  const auto f = compile([](const Tensor& x) { return mul(x, 2.0); }, asynchronous(options));
  EXPECT_EQ(values(f(vec({3}))), (std::vector<float>{6}));
  f.wait();
  EXPECT_EQ(values(f(vec({4}))), (std::vector<float>{8}));  // takes inputs to the backend
  const CompiledReport report = f.report();
  ASSERT_EQ(report.fallbacks.size(), 1U);
  EXPECT_NE(report.fallbacks[0].reason.find("not today"), std::string::npos);
}

// Its parent's thread does not exist there.
TEST(Asynchronous, a_forked_process_compiles_by_itself) {
  const auto body = [](const Tensor& x) { return mul(x, 2.0); };
  const auto f = compile(body, asynchronous());
  EXPECT_EQ(values(f(vec({1}))), (std::vector<float>{2}));
  f.wait();
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    const auto g = compile([](const Tensor& x) { return add(x, 2.0); }, asynchronous());
    const bool right = values(g(vec({1}))) == std::vector<float>{3} && values(f(vec({2})))[0] == 4;
    _exit(right && g.report().segments.size() == 1 ? 0 : 1);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(Asynchronous, may_be_called_on_many_threads) {
  const auto f = compile([](const Tensor& x) { return mul(add(exp(x), x), 2.0); }, asynchronous());
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int64_t i = 0; i < 100; ++i) {
        const Tensor x = counted({1 + (t + i) % 5}), want = mul(add(exp(x), x), 2.0);
        wrong += values(f(x)) != values(want);
      }
    });
  }
  for (std::thread& one : threads) one.join();
  EXPECT_EQ(wrong, 0);
  f.wait();
}

}  // namespace
}  // namespace vitro
