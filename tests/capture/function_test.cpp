// Compiled functions that run as one graph: results, containers, attributes and reports.
#include <functional>

#include "capture/testing.h"

namespace vitro {
namespace {

TEST(CompiledFunction, gives_what_eager_gives_and_captures_one_graph) {
  auto f = compile([](const Tensor& x, const Tensor& y) { return mul(add(x, y), 2.0); }, graphs());
  const Tensor x = counted({2, 3}), y = counted({3});
  EXPECT_EQ(values(f(x, y)), (std::vector<float>{0, 4, 8, 6, 10, 14}));
  EXPECT_EQ(values(f(x, y)), (std::vector<float>{0, 4, 8, 6, 10, 14}));
  const CompiledReport report = f.report();
  ASSERT_EQ(report.segments.size(), 1U);
  EXPECT_EQ(report.segments[0].runs, 2U);
  EXPECT_TRUE(report.segments[0].compiled);
  EXPECT_EQ(report.ops_recorded, 2U);
  EXPECT_EQ(report.calls, 2U);
  EXPECT_TRUE(report.breaks.empty());
  EXPECT_TRUE(report.recompiles.empty());
  expect_sound_graphs(report);
}

TEST(CompiledFunction, leaves_out_what_nobody_needs) {
  auto f = compile(
      [](const Tensor& x) {
        exp(x);
        return add(x, 1.0);
      },
      graphs());
  EXPECT_EQ(values(f(vec({1, 2}))), (std::vector<float>{2, 3}));
  const graph::Graph g = f.report().segments.at(0).graph;
  EXPECT_EQ(g.size(), 2U) << graph::print(g);
}

TEST(CompiledFunction, takes_and_gives_containers) {
  auto f = compile(
      [](const std::vector<Tensor>& list, const std::pair<Tensor, double>& scaled) {
        std::map<std::string, Tensor> out;
        out["sum"] = add(list[0], list[1]);
        out["scaled"] = mul(scaled.first, scaled.second);
        return std::make_tuple(out, std::optional<Tensor>(list[0]), 7);
      },
      graphs());
  const Tensor x = vec({1, 2}), y = vec({10, 20});
  auto [out, same, seven] = f(std::vector<Tensor>{x, y}, std::pair<Tensor, double>(x, 3.0));
  EXPECT_EQ(values(out["sum"]), (std::vector<float>{11, 22}));
  EXPECT_EQ(values(out["scaled"]), (std::vector<float>{3, 6}));
  EXPECT_TRUE(same->same_as(x));
  EXPECT_EQ(seven, 7);
}

TEST(CompiledFunction, knows_each_of_many_tensors_that_one_op_takes) {
  const auto f = compile([](const std::vector<Tensor>& xs) { return cat(xs, 0); }, graphs());
  const auto taken = [&](const std::vector<Tensor>& xs) {
    EXPECT_EQ(values(f(xs)), values(cat(xs, 0)));
    return f.report().segments.size();
  };
  const Tensor rows = counted({2, 2}, 0.5F);
  std::vector<Tensor> apart, shared;
  for (int i = 0; i < 100; ++i) apart.push_back(counted({2}, static_cast<float>(i)));
  shared = apart;
  shared[40] = select(rows, 0, 0), shared[90] = select(rows, 0, 1);
  std::vector<Tensor> twice = apart;
  twice[99] = twice[3];
  EXPECT_EQ(taken(apart), 1U);
  EXPECT_EQ(taken(apart), 1U);
  EXPECT_EQ(taken(shared), 2U) << "two that share memory are another program";
  EXPECT_EQ(taken(shared), 2U);
  EXPECT_EQ(taken(twice), 3U) << "as is one that is given twice";
  EXPECT_EQ(taken(twice), 3U);
  EXPECT_EQ(taken(apart), 3U);
}

TEST(CompiledFunction, may_return_nothing) {
  const Tensor x = vec({1, 2});
  auto f = compile([](const Tensor& t) { add_(t, 1.0); }, graphs());
  f(x);
  f(x);
  EXPECT_EQ(values(x), (std::vector<float>{3, 4}));
}

TEST(CompiledFunction, takes_a_model_by_reference) {
  struct Model {
    Tensor weight = vec({1, 2});
    int calls = 0;
    Tensor operator()(const Tensor& x) {
      ++calls;
      return mul(x, weight);
    }
  } model;
  auto f = compile(std::ref(model), graphs());
  f(vec({3, 4}));
  EXPECT_EQ(values(f(vec({3, 4}))), (std::vector<float>{3, 8}));
  EXPECT_EQ(model.calls, 2);
  model.weight = vec({10, 10});
  EXPECT_EQ(values(f(vec({3, 4}))), (std::vector<float>{30, 40}));
  EXPECT_TRUE(f.report().recompiles.empty());
}

TEST(CompiledFunction, inside_of_another_one_is_part_of_its_graph) {
  auto inner = compile([](const Tensor& x) { return exp(x); }, graphs("inner"));
  auto outer =
      compile([&](const Tensor& x) { return add(inner(x), inner(add(x, 1.0))); }, graphs("outer"));
  const Tensor x = vec({0, 1});
  const Tensor want = add(exp(x), exp(add(x, 1.0)));
  EXPECT_EQ(values(outer(x)), values(want));
  EXPECT_EQ(outer.report().segments.size(), 1U);
  EXPECT_EQ(inner.report().calls, 0U);
}

TEST(CompiledFunction, knows_whether_it_is_compiling) {
  bool inside = false;
  auto f = compile(
      [&](const Tensor& x) {
        inside = is_compiling();
        return exp(x);
      },
      graphs());
  f(vec({1}));
  EXPECT_TRUE(inside);
  EXPECT_FALSE(is_compiling());
}

TEST(CompiledFunction, starts_afresh_after_reset) {
  auto f = compile([](const Tensor& x) { return exp(x); }, graphs());
  f(vec({1}));
  f.reset();
  EXPECT_EQ(f.report().calls, 0U);
  EXPECT_TRUE(f.report().segments.empty());
  EXPECT_EQ(values(f(vec({0}))), (std::vector<float>{1}));
}

TEST(CompiledFunction, is_not_made_for_a_backend_that_nobody_registered) {
  CompileOptions options = graphs();
  options.backend = "eagre";
  const std::string said =
      error_of([&] { (void)compile([](const Tensor& x) { return add(x, 1.0); }, options); });
  EXPECT_TRUE(
      said.starts_with("f: there is no backend \"eagre\"; did you mean \"eager\"? Registered: "))
      << said;
  EXPECT_NE(said.find("(V0602)"), std::string::npos) << said;
}

class Refusing final : public capture::SegmentCompiler {
 public:
  std::shared_ptr<capture::CompiledSegment> compile(const graph::Graph&, const std::string&,
                                                    std::string* why) override {
    *why = "the moon is full";
    return nullptr;
  }
};

TEST(CompiledFunction, runs_eagerly_where_the_compiler_fails_and_keeps_the_reason) {
  capture::register_compiler("refusing", std::make_shared<Refusing>());
  CompileOptions options = graphs();
  options.backend = "refusing";
  auto f = compile([](const Tensor& x) { return add_(add(x, 1.0), 1.0); }, options);
  EXPECT_EQ(values(f(vec({1}))), (std::vector<float>{3}));
  EXPECT_EQ(values(f(vec({2}))), (std::vector<float>{4}));
  const CompiledReport report = f.report();
  ASSERT_EQ(report.fallbacks.size(), 1U);
  EXPECT_EQ(report.fallbacks[0].code->id, "V0601");
  EXPECT_EQ(report.fallbacks[0].reason, "the moon is full");
  EXPECT_FALSE(report.segments.at(0).compiled);
}

}  // namespace
}  // namespace vitro
