// Graphs with data sizes: text, verification, interpretation.
#include <gtest/gtest.h>

#include "eager/eager.h"
#include "vitro/graph/build.h"
#include "vitro/graph/graph.h"
#include "vitro/graph/pass.h"
#include "vitro/ops/all.h"

namespace vitro::graph {
namespace {

constexpr std::string_view text = R"(graph[s0=5](x: f32[s0]) {
  gt: bool[s0] = gt(x, 0.0)
  nonzero: i64[u0, 1]{strides=[1, u0]} = nonzero(gt)
  select: i64[u0] = select(nonzero, dim=1, index=0)
  index_select: f32[u0] = index_select(x, dim=0, index=select)
  full: f32[s0 + u0] = full(size=[s0 + u0], fill_value=2.0, dtype=f32)
  return index_select, full
}
)";

Graph parsed(std::string_view from) {
  Result<Graph> g = parse(from);
  EXPECT_TRUE(g) << g.why();
  return g ? *std::move(g) : Graph();
}

TEST(DataSize, text_is_read_and_written) {
  const Graph g = parsed(text);
  EXPECT_EQ(print(g), text);
  EXPECT_EQ(verify(g), "");
  EXPECT_EQ(g.symbols().size(), 1U);
}

TEST(DataSize, a_symbol_needs_a_node_that_gives_it_its_value) {
  const Result<Graph> g =
      parse("graph(x: f32[3]) {\n  full: f32[u0] = full([u0], 1.0)\n  return full\n}\n");
  EXPECT_TRUE(!g || !verify(*g).empty());
}

TEST(DataSize, two_nodes_cannot_give_one_symbol) {
  const Graph g = parsed(R"(graph(x: bool[3], y: bool[3]) {
  nonzero: i64[u0, 1]{strides=[1, u0]} = nonzero(x)
  nonzero_1: i64[u0, 1]{strides=[1, u0]} = nonzero(y)
  return nonzero, nonzero_1
}
)");
  EXPECT_NE(verify(g).find("u0 has a value already"), std::string::npos) << verify(g);
}

TEST(DataSize, a_run_gives_the_symbol_its_value) {
  eager::init();
  const Graph g = parsed(text);
  const Tensor x = Tensor::from<float>({1, -1, 2, -2, 3}, {5});
  const std::vector<Tensor> out = interpret(g, std::vector<Operand>{x}, {});
  EXPECT_EQ(out[0].to_vector<float>(), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(out[1].to_vector<float>(), std::vector<float>(8, 2.0F));
}

TEST(DataSize, passes_keep_what_gives_a_size) {
  const Graph g = parsed(R"(graph(x: bool[4]) {
  nonzero: i64[u0, 1]{strides=[1, u0]} = nonzero(x)
  full: f32[u0] = full([u0], 2.0, dtype=f32)
  return full
}
)");
  const Graph after = run_passes(g, standard_passes());
  EXPECT_EQ(verify(after), "");
  EXPECT_EQ(print(after), print(g));
}

TEST(DataSize, a_builder_names_them) {
  Builder build;
  const Tensor x = build.input("x", {DType::boolean, cpu, {2, 3}, {3, 1}, 0}, InputKind::argument);
  {
    const Using use(&build);
    const Tensor a = nonzero(x), b = nonzero(x);
    build.output(a * 2);
    build.output(b);
  }
  const Graph g = build.take();
  EXPECT_EQ(verify(g), "");
  EXPECT_NE(print(g).find("nonzero_1: i64[u1, 2]{strides=[1, u1]}"), std::string::npos) << print(g);
}

}  // namespace
}  // namespace vitro::graph
