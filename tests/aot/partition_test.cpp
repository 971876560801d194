// What is kept of a program for its gradients, and what is computed again.
#include "aot/partition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "aot/min_cut.h"

namespace vitro::test {
namespace {

using aot::Needs;
using aot::Partition;
using graph::Graph;
using graph::Value;
using Names = std::vector<std::string>;

Graph parsed(std::string_view text) {
  Result<Graph> g = graph::parse(text);
  EXPECT_TRUE(g) << g.why();
  return g ? *std::move(g) : Graph();
}

Value value_named(const Graph& g, std::string_view name) {
  for (uint32_t n = 0; n < g.size(); ++n) {
    if (g.nodes()[n].name == name) return {graph::NodeId{n}, 0};
  }
  ADD_FAILURE() << "no " << name;
  return {};
}

Names names(const Graph& g, const std::vector<Value>& values) {
  Names out;
  for (const Value v : values) out.push_back(g[v.node].name);
  std::ranges::sort(out);
  return out;
}

// All outputs of the graph are needed; inputs are there unless `gone`.
Partition partition_of(const Graph& g, const Names& gone = {}, double budget = 1) {
  Needs needs{{}, {}, {}, budget};
  for (const graph::Output& output : g.outputs()) needs.values.push_back(output.value);
  for (const graph::NodeId input : g.inputs())
    needs.inputs.push_back(std::ranges::find(gone, g[input].name) == gone.end());
  return aot::partition(g, needs);
}

TEST(Partition, computes_nothing_from_what_may_change) {
  const Graph g = parsed(R"(graph(x: f32[8, 16], w: f32[16, 32]) {
    mm: f32[8, 32] = mm(x, w)
    to: f64[8, 32] = _to_copy(mm, dtype=f64)
    exp: f64[8, 32] = exp(to)
    return to, exp
  })");
  Needs needs{{value_named(g, "to"), value_named(g, "exp")}, {}, {true, true}};
  EXPECT_EQ(names(g, aot::partition(g, needs).keep), (Names{"mm"}));
  needs.changing = {value_named(g, "mm")};
  const Partition parts = aot::partition(g, needs);
  EXPECT_EQ(names(g, parts.keep), (Names{"to"}));
  EXPECT_EQ(names(g, parts.again), (Names{"exp"}));
}

TEST(Partition, keeps_products_and_computes_elementwise_ops_again) {
  const Graph g = parsed(R"(graph(x: f32[8, 16], w: f32[16, 32]) {
    mm: f32[8, 32] = mm(x, w)
    tanh: f32[8, 32] = tanh(mm)
    exp: f32[8, 32] = exp(tanh)
    return mm, tanh, exp
  })");
  const Partition parts = partition_of(g);
  EXPECT_EQ(names(g, parts.keep), (Names{"mm"}));
  EXPECT_EQ(names(g, parts.again), (Names{"exp", "tanh"}));
  EXPECT_EQ(parts.kept_bytes, 8 * 32 * 4);
  EXPECT_EQ(parts.needed_bytes, 3 * 8 * 32 * 4);
}

TEST(Partition, keeps_what_follows_from_inputs_that_are_gone) {
  const Graph g = parsed(R"(graph(x: f32[8, 16]) {
    tanh: f32[8, 16] = tanh(x)
    exp: f32[8, 16] = exp(tanh)
    return tanh, exp
  })");
  EXPECT_EQ(names(g, partition_of(g).keep), Names());
  const Partition parts = partition_of(g, {"x"});
  EXPECT_EQ(names(g, parts.keep), (Names{"tanh"}));
  EXPECT_EQ(names(g, parts.again), (Names{"exp"}));
}

// A mask takes a quarter of the bytes of what it is computed from.
TEST(Partition, keeps_the_smaller_of_two_values) {
  const Graph g = parsed(R"(graph(x: f32[8, 16], w: f32[16, 32], y: f32[8, 32]) {
    mm: f32[8, 32] = mm(x, w)
    gt: bool[8, 32] = gt(mm, 0)
    where: f32[8, 32] = where(gt, y, 1)
    return where
  })");
  const Partition parts = partition_of(g);
  EXPECT_EQ(names(g, parts.keep), (Names{"gt"}));
  EXPECT_EQ(names(g, parts.again), (Names{"where"}));
}

TEST(Partition, keeps_a_value_rather_than_two_that_it_is_computed_from) {
  const Graph g = parsed(R"(graph(x: f32[8, 16], w: f32[16, 32], v: f32[16, 32]) {
    mm: f32[8, 32] = mm(x, w)
    mm_1: f32[8, 32] = mm(x, v)
    add: f32[8, 32] = add(mm, mm_1)
    exp: f32[8, 32] = exp(add)
    return exp
  })");
  const Partition parts = partition_of(g);
  EXPECT_EQ(names(g, parts.keep), (Names{"exp"}));  // of equal bytes, with the least work
  EXPECT_EQ(names(g, parts.again), Names());
}

TEST(Partition, uses_what_is_there_in_any_case) {
  const Graph g = parsed(R"(graph(x: f32[8, 16], w: f32[16, 32]) {
    mm: f32[8, 32] = mm(x, w)
    exp: f32[8, 32] = exp(mm)
    return exp
  })");
  Needs needs{{value_named(g, "exp")}, {value_named(g, "mm")}, {true, true}, 1};
  const Partition parts = aot::partition(g, needs);
  EXPECT_EQ(names(g, parts.keep), Names());
  EXPECT_EQ(names(g, parts.again), (Names{"exp"}));
  EXPECT_EQ(parts.kept_bytes, 0);
}

// Each of the sums is read by a product, so its gradient needs it in memory: computing the last one
// again would need all of them at the same time.
TEST(Partition, does_not_compute_long_chains_again) {
  std::string text = "graph(x0: f32[8, 8], w: f32[8, 8]) {\n", outputs;
  std::string last = "x0";
  for (int i = 0; i < 20; ++i) {
    const std::string n = i == 0 ? "" : "_" + std::to_string(i);
    text += "mm" + n + ": f32[8, 8] = mm(" + last + ", w)\n";
    text += "add" + n + ": f32[8, 8] = add(" + last + ", mm" + n + ")\n";
    last = "add" + n;
    outputs += (i == 0 ? "" : ", ") + ("mm" + n) + ", " + last;
  }
  const Graph g = parsed(text + "return " + outputs + "\n}");
  const Partition parts = partition_of(g);
  // Only the last one, which no product reads.
  EXPECT_EQ(names(g, parts.again), (Names{last}));
}

TEST(Partition, with_a_smaller_budget_computes_products_again_that_are_worth_it) {
  const Graph g = parsed(R"(graph(x: f32[64, 8], w: f32[8, 64], v: f32[64, 64]) {
    mm: f32[64, 64] = mm(x, w)
    mm_1: f32[64, 64] = mm(mm, v)
    return mm, mm_1
  })");
  EXPECT_EQ(names(g, partition_of(g, {}, 1).keep), (Names{"mm", "mm_1"}));
  EXPECT_EQ(names(g, partition_of(g, {}, 0.5).keep), (Names{"mm_1"}));  // mm is an eighth the work
  EXPECT_EQ(names(g, partition_of(g, {}, 0).keep), Names());
}

TEST(Partition, never_computes_opaque_ops_again) {
  const Graph g = parsed(R"(graph(x: f64[4, 4]) {
    linalg_cholesky_ex: (f64[4, 4]{strides=[1, 4]}, i32[]) = linalg_cholesky_ex(x)
    return linalg_cholesky_ex[0]
  })");
  ASSERT_EQ(g[value_named(g, "linalg_cholesky_ex").node].op->kind, OpKind::opaque);
  EXPECT_EQ(names(g, partition_of(g, {}, 0).keep), (Names{"linalg_cholesky_ex"}));
}

TEST(Rematerialization, is_the_program_from_what_is_given) {
  const Graph g = parsed(R"(graph(x: f32[8, 16], w: f32[16, 32], b: f32[32]) {
    mm: f32[8, 32] = mm(x, w)
    add: f32[8, 32] = add(mm, b)
    exp: f32[8, 32] = exp(add)
    return exp
  })");
  const aot::Rematerialization made =
      aot::rematerialization(g, {value_named(g, "exp")}, {value_named(g, "mm")});
  EXPECT_EQ(graph::verify(made.graph), "");
  EXPECT_EQ(graph::print(made.graph), R"(graph(mm: f32[8, 32], b: f32[32]) {
  add: f32[8, 32] = add(mm, b)
  exp: f32[8, 32] = exp(add)
  return exp
}
)");
  EXPECT_EQ(names(g, made.sources), (Names{"b", "mm"}));
}

TEST(MinCut, is_as_near_to_the_sink_as_possible) {
  aot::Network net(5);  // source 0, sink 4
  net.connect(0, 1, aot::Network::unlimited);
  net.connect(1, 2, 3);
  net.connect(2, 3, 3);
  net.connect(3, 4, aot::Network::unlimited);
  EXPECT_EQ(net.cut(0, 4), (std::vector<bool>{false, false, false, true, true}));
}

TEST(MinCut, of_two_paths_that_share_an_edge) {
  aot::Network net(6);  // 0 -> 1 -> 3 -> 5 and 0 -> 2 -> 3, 2 -> 4 -> 5
  net.connect(0, 1, 4);
  net.connect(0, 2, 9);
  net.connect(1, 3, 4);
  net.connect(2, 3, 3);
  net.connect(2, 4, 2);
  net.connect(3, 5, 5);
  net.connect(4, 5, 8);
  EXPECT_EQ(net.cut(0, 5), (std::vector<bool>{false, false, false, false, true, true}));
}

}  // namespace
}  // namespace vitro::test
