// Compiled segments that fail while running: the call continues op by op.
#include <algorithm>
#include <atomic>
#include <thread>

#include "capture/testing.h"
#include "vitro/base/error.h"
#include "vitro/core/generator.h"
#include "vitro/events/rare.h"
#include "vitro/ops/all.h"

namespace vitro {
namespace {

// Makes segments that call `fail`, if set, before they write anything.
class Failing final : public capture::SegmentCompiler {
 public:
  struct Segment final : capture::CompiledSegment {
    Segment(Failing& maker, const graph::Graph& g)
        : owner(maker), right(capture::interpreted_segment(g)) {}
    void run(std::span<const Operand> inputs, std::span<const int64_t> symbols,
             std::span<Tensor> outputs) override {
      if (owner.fail) owner.fail();
      right->run(inputs, symbols, outputs);
    }
    int kernel_count() const override { return 1; }
    Failing& owner;
    std::shared_ptr<capture::CompiledSegment> right;
  };
  std::shared_ptr<capture::CompiledSegment> compile(const graph::Graph& graph, const std::string&,
                                                    std::string*) override {
    return std::make_shared<Segment>(*this, graph);
  }
  void (*fail)() = nullptr;
};

void fail_as_a_bug() {
  VITRO_ASSERT(false, "the arena is too small");
}

struct FailedRun : testing::Test {
  std::shared_ptr<Failing> backend = std::make_shared<Failing>();
  CompileOptions options = graphs();
  void SetUp() override {
    capture::register_compiler("failing", backend);
    options.backend = "failing";
  }
};

TEST_F(FailedRun, does_not_reach_the_program) {
  auto f = compile([](const Tensor& x) { return mul(add(x, 1.0), 2.0); }, options);
  for (int call = 0; call < 4; ++call) {
    backend->fail = call % 2 == 0 ? fail_as_a_bug : nullptr;
    EXPECT_EQ(values(f(vec({1, 2}))), (std::vector<float>{4, 6}));
  }
  const CompiledReport report = f.report();
  ASSERT_EQ(report.fallbacks.size(), 1U);
  EXPECT_EQ(report.fallbacks[0].code->id, "V0605");
  EXPECT_EQ(report.fallbacks[0].count, 2U);
  EXPECT_NE(report.fallbacks[0].reason.find("the arena is too small"), std::string::npos);
  EXPECT_TRUE(report.segments[0].compiled);
}

TEST_F(FailedRun, does_not_draw_random_numbers_twice) {
  const auto draws = [](const Tensor& x) { return add(rand_like(x), rand_like(x)); };
  auto f = compile(draws, options);
  std::vector<std::vector<float>> eager, compiled;
  manual_seed(5, Generator::mt19937);
  for (int call = 0; call < 4; ++call) eager.push_back(values(draws(vec({1, 2}))));
  manual_seed(5, Generator::mt19937);
  for (int call = 0; call < 4; ++call) {
    backend->fail = call % 2 == 0 ? fail_as_a_bug : nullptr;
    compiled.push_back(values(f(vec({1, 2}))));
  }
  manual_seed(0);
  EXPECT_EQ(compiled, eager);
  ASSERT_EQ(f.report().fallbacks.size(), 1U);
  EXPECT_EQ(f.report().fallbacks[0].count, 2U);
}

TEST_F(FailedRun, is_said_once_as_a_warning) {
  const uint64_t mark = events::rare_mark();
  auto f = compile([](const Tensor& x) { return add(x, 1.0); }, options);
  backend->fail = fail_as_a_bug;
  for (int call = 0; call < 3; ++call) (void)f(vec({1, 2}));
  int said = 0;
  for (const events::Rare& event : events::rare_since(mark)) {
    const auto* message = std::get_if<events::Message>(&event.what);
    if (!message || message->level != events::Level::warning) continue;
    EXPECT_NE(message->text.find("V0605"), std::string::npos) << message->text;
    ++said;
  }
  EXPECT_EQ(said, 1);
}

TEST_F(FailedRun, does_not_write_twice) {
  auto f = compile([](const Tensor& x) { return mul(add_(x, 1.0), 2.0); }, options);
  const Tensor x = vec({0, 1});
  for (int call = 0; call < 4; ++call) {
    backend->fail = call % 2 == 0 ? fail_as_a_bug : nullptr;
    const auto n = static_cast<float>(call + 1);
    EXPECT_EQ(values(f(x)), (std::vector<float>{2 * n, 2 * n + 2}));
    EXPECT_EQ(values(x), (std::vector<float>{n, n + 1}));
  }
}

TEST_F(FailedRun, of_a_frozen_call_goes_on) {
  options.fullgraph = options.frozen = true;
  auto f = compile([](const Tensor& x) { return mul(add(x, 1.0), 2.0); }, options);
  EXPECT_EQ(values(f(vec({1, 2}))), (std::vector<float>{4, 6}));
  EXPECT_EQ(values(f(vec({2, 2}))), (std::vector<float>{6, 6}));
  backend->fail = fail_as_a_bug;
  EXPECT_EQ(values(f(vec({3, 2}))), (std::vector<float>{8, 6}));
  EXPECT_EQ(f.report().fallbacks.size(), 1U);
}

TEST_F(FailedRun, of_a_frozen_call_may_give_a_view_of_what_the_program_let_go) {
  options.fullgraph = options.frozen = true;
  auto f = compile([](const Tensor& x) { return slice(add_(mul(x, 2.0), 1.0), 0, 1); }, options);
  EXPECT_EQ(values(f(vec({1, 2}))), (std::vector<float>{5}));
  backend->fail = fail_as_a_bug;
  EXPECT_EQ(values(f(vec({3, 4}))), (std::vector<float>{9}));
}

TEST_F(FailedRun, that_blames_the_data_is_believed_only_where_eager_does_too) {
  auto f = compile([](const Tensor& x) { return add(x, 1.0); }, options);
  backend->fail = [] { throw_error("gather: index 3 is out of range"); };
  EXPECT_EQ(values(f(vec({1, 2}))), (std::vector<float>{2, 3}));
  const CompiledReport report = f.report();
  ASSERT_EQ(report.fallbacks.size(), 1U);
  EXPECT_NE(report.fallbacks[0].reason.find("index 3"), std::string::npos);
}

TEST_F(FailedRun, on_many_threads_gives_each_its_result) {
  auto f = compile([](const Tensor& x) { return mul(add(x, 1.0), 2.0); }, options);
  backend->fail = fail_as_a_bug;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const auto n = static_cast<float>(t);
      for (int i = 0; i < 50; ++i) wrong += values(f(vec({n}))) != std::vector<float>{2 * (n + 1)};
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace vitro
