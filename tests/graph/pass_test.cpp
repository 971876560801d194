// Passes and their pipeline: decompose, drop_dead, merge_same, order_by_use, and random graphs,
// whose bits the standard passes keep.
#include "vitro/graph/pass.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "eager/eager.h"
#include "graph/programs.h"
#include "graph/random_graph.h"
#include "graph/values.h"
#include "vitro/ops/definition.h"

namespace vitro::graph {
namespace {

// A composite that only this test defines: x * x.size(0) + x.
struct Doubled {
  static constexpr std::string_view name = "doubled", doc = "x * x.size(0) + x.";
  static constexpr std::string_view signatures = "(Tensor self) -> Tensor";
  static constexpr OpKind kind = OpKind::composite;
  static constexpr int arity = 1;
  static void shape(ShapeCall& call) { call.results.push_back(*call.operands[0].meta); }
  static void expand(std::span<const Operand> operands, AttrsView, std::span<Tensor> results) {
    const Tensor& x = operands[0].tensor();
    results[0] = x * x.size(0) + x;
  }
};
// A composite of a composite.
struct Quadrupled : Doubled {
  static constexpr std::string_view name = "quadrupled";
  static void expand(std::span<const Operand> operands, AttrsView, std::span<Tensor> results) {
    const Tensor once = ops::call<Doubled>(std::source_location::current(), {operands[0].tensor()});
    results[0] = ops::call<Doubled>(std::source_location::current(), {once});
  }
};

TEST(Decompose, writes_composites_out_at_their_place) {
  Builder b;
  const Tensor x = b.input("x", f32({Size(5, sym::Expr::symbol("s0"))}));
  const Using use(&b);
  b.set_location({"a.cpp", 7, 0});
  b.output(exp(ops::call<Quadrupled>(std::source_location::current(), {x})));
  EXPECT_EQ(print(decompose(b.take())), R"(graph[s0=5](x: f32[s0]) {
  mul: f32[s0] = mul(x, s0)         # a.cpp:7
  add: f32[s0] = add(mul, x)        # a.cpp:7
  mul_1: f32[s0] = mul(add, s0)     # a.cpp:7
  add_1: f32[s0] = add(mul_1, add)  # a.cpp:7
  exp: f32[s0] = exp(add_1)         # a.cpp:7
  return exp
}
)");
}

// s0 and 7 rows broadcast if s0 is 7; the size of the sum may be recorded as either.
TEST(Decompose, spells_sizes_as_they_are_recorded) {
  const sym::GuardSink sink;
  Builder b;
  const Tensor x = b.input("x", f32({Size(7, sym::Expr::symbol("s0")), 3}));
  const Tensor y = b.input("y", f32({3, 5})), z = b.input("z", f32({7, 5}));
  {
    const Using use(&b);
    b.output(exp(addmm(z, x, y)));
  }
  const Graph out = decompose(b.take());
  EXPECT_TRUE(verify(out).empty()) << print(out);
}

TEST(Decompose, hands_numbers_that_vary_through) {
  Graph g;
  const NodeId x = g.add_input("x", f32({2, 2}));
  const NodeId k = g.add_input("k", ops::dense(DType::f64, cpu, {}), InputKind::number);
  g.add_output({g.add(*ops::named("addmm"), {Value{x}, Value{x}, Value{x}, Value{k}}), 0});
  EXPECT_EQ(print(decompose(std::move(g))), R"(graph(x: f32[2, 2], k: number f64[]) {
  mm: f32[2, 2] = mm(x, x)
  mul: f32[2, 2] = mul(x, k)
  add: f32[2, 2] = add(mm, mul)
  return add
}
)");
}

TEST(Decompose, keeps_the_shapes_of_every_composite) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Graph g = random_graph(seed);
    const Graph out = decompose(g);
    ASSERT_EQ(verify(out), "") << "seed " << seed << "\n" << print(g) << print(out);
    for (const Node& node : out.nodes())
      ASSERT_TRUE(node.is_input() || node.op->kind != OpKind::composite) << node.name;
  }
}

TEST(RunPasses, leaves_random_graphs_whole) {
  for (uint64_t seed = 1000; seed < 1300; ++seed) {
    const Graph g = random_graph(seed);
    const Graph out = run_passes(g, standard_passes());
    ASSERT_EQ(out.outputs().size(), g.outputs().size());
    for (size_t i = 0; i < g.outputs().size(); ++i) {
      const TensorMeta &before = g.meta(g.outputs()[i].value),
                       &after = out.meta(out.outputs()[i].value);
      ASSERT_EQ(before.dtype, after.dtype) << "seed " << seed;
      ASSERT_TRUE(attribute::same(before.sizes, after.sizes)) << "seed " << seed;
    }
    ASSERT_TRUE(parse(print(out)).value() == out) << "seed " << seed << print(out);
  }
}

// The results of a graph, or nullopt if its data is refused (an index out of range).
std::optional<std::vector<Tensor>> values_of(const Graph& g, const Inputs& inputs) {
  try {
    return interpret(g, inputs.operands);
  } catch (const Error&) {
    return std::nullopt;
  }
}

TEST(RunPasses, keeps_every_bit_of_random_graphs) {
  eager::init();
  int compared = 0;
  for (uint64_t seed = 2000; seed < 2400; ++seed) {
    const Graph g = random_graph(seed);
    const Inputs inputs(g, seed);
    const auto want = values_of(g, inputs);
    if (!want) continue;
    const auto check = [&](std::string_view pass, const Graph& now) {
      const auto got = interpret(now, inputs.operands);
      for (size_t i = 0; i < got.size(); ++i)
        ASSERT_EQ(difference((*want)[i], got[i]), "")
            << "seed " << seed << " after " << pass << ", output " << i << "\n"
            << print(g) << print(now);
    };
    (void)run_passes(g, standard_passes(), nullptr, check);
    if (HasFatalFailure()) return;
    ++compared;
  }
  EXPECT_GT(compared, 300);
}

TEST(RunPasses, exact_ones_are_those_that_keep_every_bit) {
  static constexpr Pass passes[] = {
      {"merge_same", merge_same},
      {"round_off", [](Graph g) { return g; }, "changes the last digits", false},
      {"drop_dead", drop_dead},
  };
  std::vector<std::string_view> names;
  for (const Pass& pass : exact_passes(passes)) names.push_back(pass.name);
  EXPECT_EQ(names, (std::vector<std::string_view>{"merge_same", "drop_dead"}));
}

TEST(RunPasses, that_change_bits_are_told_to_the_user) {
  std::stringstream page;
  page << std::ifstream(VITRO_TEST_DATA "/../../docs/behaviour.md").rdbuf();
  for (const Pass& pass : standard_passes())
    EXPECT_TRUE(pass.exact || page.str().find(pass.name) != std::string::npos) << pass.name;
}

TEST(DropDead, removes_what_nobody_reads) {
  Builder b;
  const Tensor x = b.input("x", f32({2})), y = b.input("y", f32({2}));
  const Using use(&b);
  b.set_location({});
  (void)(exp(y) * y);
  b.output(x + 1);
  EXPECT_EQ(print(drop_dead(b.take())), R"(graph(x: f32[2], y: f32[2]) {
  add: f32[2] = add(x, 1)
  return add
}
)");
}

TEST(OrderByUse, gives_one_program_one_text) {
  const std::string wanted = R"(graph(x: f32[2]) {
  exp: f32[2] = exp(x)
  sigmoid: f32[2] = sigmoid(x)
  exp_1: f32[2] = exp(sigmoid)
  mul: f32[2] = mul(exp, exp_1)
  return mul
}
)";
  for (const bool left_first : {true, false}) {
    Builder b;
    const Tensor x = b.input("x", f32({2}));
    const Using use(&b);
    b.set_location({});
    Tensor left, right;
    if (left_first) left = exp(x);
    right = exp(sigmoid(x));
    (void)(right * 3);
    if (!left_first) left = exp(x);
    b.output(left * right);
    EXPECT_EQ(print(order_by_use(b.take())), wanted);
  }
}

TEST(OrderByUse, keeps_the_hash) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const Graph g = random_graph(seed);
    EXPECT_EQ(order_by_use(g).hash(), g.hash()) << "seed " << seed;
  }
}

TEST(MergeSame, makes_equal_nodes_one) {
  Builder b;
  const Tensor x = b.input("x", f32({2}));
  const Using use(&b);
  b.set_location({});
  const Tensor first = exp(x) + 1.0, second = exp(x) + 1.0, third = exp(x) + 1;
  b.output(first * second + third);
  EXPECT_EQ(print(merge_same(b.take())), R"(graph(x: f32[2]) {
  exp: f32[2] = exp(x)
  add: f32[2] = add(exp, 1.0)
  add_2: f32[2] = add(exp, 1)
  mul: f32[2] = mul(add, add)
  add_3: f32[2] = add(mul, add_2)
  return add_3
}
)");
}

Graph break_it(Graph g) {
  g.add_output({NodeId{99}, 0});
  return g;
}

TEST(RunPasses, reports_each_pass_and_shows_its_graph) {
  std::vector<PassReport> reports;
  std::vector<std::string> seen;
  const Pass passes[] = {{"drop_dead", drop_dead}, {"merge_same", merge_same}};
  Graph g = layer();
  g.add(*ops::named("exp"), {Value{NodeId{0}}});
  g = run_passes(std::move(g), passes, &reports,
                 [&](std::string_view name, const Graph&) { seen.emplace_back(name); });
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_TRUE(reports[0].changed);
  EXPECT_EQ(reports[0].nodes_before, 7u);
  EXPECT_EQ(reports[0].nodes_after, 6u);
  EXPECT_FALSE(reports[1].changed);
  EXPECT_EQ(seen, (std::vector<std::string>{"drop_dead", "merge_same"}));
}

TEST(RunPasses, names_the_pass_that_breaks_a_graph) {
  const Pass passes[] = {{"drop_dead", drop_dead}, {"break_it", break_it}};
  try {
    (void)run_passes(layer(), passes);
    FAIL();
  } catch (const Bug& bug) {
    EXPECT_NE(std::string(bug.what()).find("the pass break_it leaves an invalid graph"),
              std::string::npos)
        << bug.what();
  }
}

Graph misname_a_size(Graph g) {
  Node& last = g[NodeId{static_cast<uint32_t>(g.size() - 1)}];
  last.results[0].sizes[0] = 77;
  return g;
}

TEST(RunPasses, names_the_pass_that_left_a_wrong_shape_when_all_have_run) {
  const Pass passes[] = {{"misname_a_size", misname_a_size}, {"drop_dead", drop_dead}};
  try {
    (void)run_passes(layer(), passes);
    FAIL();
  } catch (const Bug& bug) {
    EXPECT_NE(std::string(bug.what()).find("the pass misname_a_size leaves an invalid graph"),
              std::string::npos)
        << bug.what();
  }
}

}  // namespace
}  // namespace vitro::graph
