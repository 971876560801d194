#include "capture/testing.h"

namespace vitro {
namespace {

TEST(Backend, OfTheUsersTakesGraphAndExampleInputs) {
  int compiled_graphs = 0, runs = 0;
  register_backend("mine", [&](const graph::Graph& g, std::span<const Operand> example) {
    ++compiled_graphs;
    EXPECT_EQ(example.size(), g.inputs().size());
    return [&runs, g](std::span<const Operand> inputs) {
      ++runs;
      return graph::interpret(g, inputs);
    };
  });
  CompileOptions options = graphs();
  options.backend = "mine";
  const Tensor count = vec({0});
  auto f = compile(
      [&](const Tensor& x) {
        add_(count, 1.0);
        return mul(x, 2.0);
      },
      options);
  EXPECT_EQ(values(f(vec({3}))), (std::vector<float>{6}));
  EXPECT_EQ(values(f(vec({4}))), (std::vector<float>{8}));
  EXPECT_EQ(values(count), (std::vector<float>{2}));
  EXPECT_EQ(compiled_graphs, 1);
  EXPECT_EQ(runs, 2);
  const std::vector<std::string> names = list_backends();
  EXPECT_NE(std::find(names.begin(), names.end(), "mine"), names.end());
  EXPECT_NE(std::find(names.begin(), names.end(), "eager"), names.end());
}

TEST(Backend, OfTheUsersThatThrowsIsReplacedByEager) {
  register_backend("broken", [](const graph::Graph&, std::span<const Operand>) -> GraphFunction {
    throw std::runtime_error("not today");
  });
  CompileOptions options = graphs();
  options.backend = "broken";
  auto f = compile([](const Tensor& x) { return mul(x, 2.0); }, options);
  EXPECT_EQ(values(f(vec({3}))), (std::vector<float>{6}));
  EXPECT_EQ(values(f(vec({4}))), (std::vector<float>{8}));
}

// Says which of the two was asked.
class TwoRunners final : public capture::SegmentRunner {
 public:
  TwoRunners(bool exact, std::vector<std::string>& asked) : exact_(exact), asked_(asked) {}
  std::shared_ptr<capture::CompiledSegment> compile(const graph::Graph& graph, const std::string&,
                                                    std::string*) override {
    asked_.emplace_back(exact_ ? "exact" : "usual");
    return capture::interpreted_segment(graph);
  }
  std::shared_ptr<SegmentRunner> exact() override {
    return exact_ ? nullptr : std::make_shared<TwoRunners>(true, asked_);
  }

 private:
  bool exact_;
  std::vector<std::string>& asked_;
};

TEST(Backend, IsAskedForExactRewritesOnlyWhereTheOptionSaysSo) {
  eager::init();
  std::vector<std::string> asked;
  capture::register_runner("two", std::make_shared<TwoRunners>(false, asked));
  const auto program = [](const Tensor& x) { return exp(x); };
  (void)compile(program, {.backend = "two", .dynamic = {}})(vec({1, 2}));
  (void)compile(program, {.backend = "two", .exact = true, .dynamic = {}})(vec({1, 2}));
  EXPECT_EQ(asked, (std::vector<std::string>{"usual", "exact"}));
}

TEST(MarkDynamic, MakesASizeASymbolFromTheStart) {
  auto f = compile([](const Tensor& x) { return exp(x); }, graphs());
  const Tensor x = counted({4, 3});
  mark_dynamic(x, -2);
  f(x);
  f(counted({9, 3}));
  EXPECT_TRUE(f.report().recompiles.empty());
  EXPECT_EQ(f.report().guards, (std::vector<std::string>{"input 0: f32[s0, 3]"}));
  EXPECT_THROW(mark_dynamic(x, 2), Error);
}

}  // namespace
}  // namespace vitro
