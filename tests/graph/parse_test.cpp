// Parsing graph text: round trips through print, and errors.
#include <gtest/gtest.h>

#include "graph/programs.h"
#include "graph/random_graph.h"

namespace vitro::graph {
namespace {

TEST(Parse, reads_back_what_print_wrote) {
  const Graph g = layer();
  EXPECT_TRUE(parse(print(g)).value() == g) << print(g);
}

TEST(Parse, reads_back_an_input_that_came_after_a_node) {
  Graph g;
  const NodeId x = g.add_input("x", f32({2}));
  const NodeId y = g.add(*ops::named("exp"), {Value{x}});
  const NodeId late = g.add_input("late", f32({2}));
  g.add_output({g.add(*ops::named("sub"), {Value{y}, Value{late}}), 0});
  g.add_output({y, 0}, 1);
  const Graph again = *parse(print(g));
  EXPECT_TRUE(again == g) << print(g) << print(again);
  EXPECT_EQ(again.hash(), g.hash());
  Graph other = g;
  std::swap(other[NodeId{3}].args[0], other[NodeId{3}].args[1]);
  EXPECT_FALSE(other == g);
  other = g;
  other.set_outputs({g.outputs()[0], {{late, 0}, 1}});
  EXPECT_FALSE(other == g);
}

TEST(Parse, keeps_the_numbers_of_symbols_of_which_there_are_only_products) {
  const std::string text =
      "graph[s0=2, s1=3, s2=5]() {\n"
      "  arange: i64[s0*s1*s2 + 2] = arange(3*s0*s1*s2, -4, -3)\n"
      "  return arange\n"
      "}\n";
  const Graph g = *parse(text);
  EXPECT_EQ(g.hints(), (std::vector<int64_t>{2, 3, 5}));
  EXPECT_EQ(print(g), text);
}

TEST(Parse, reads_lists_with_gaps_and_what_stands_behind_them) {
  const std::string text =
      "graph(x: f32[4, 5, 6], i: i64[7], j: i64[2, 1], v: f32[2, 7, 5]) {\n"
      "  index: f32[2, 7, 5] = index(x, [j, None, i])\n"
      "  index_put: f32[4, 5, 6] = index_put(x, [j, None, i], v, accumulate=True)\n"
      "  return index, index_put\n"
      "}\n";
  const Graph g = *parse(text);
  EXPECT_EQ(verify(g), "");
  EXPECT_EQ(print(g), text);
}

TEST(Parse, gives_sizes_their_numbers_again) {
  const Graph g = parse(print(layer())).value();
  EXPECT_EQ(g.nodes().back().results[0].sizes[0].value(), 32);
  EXPECT_EQ(g.hints(), std::vector<int64_t>{32});
  EXPECT_EQ(verify(g), "");
}

TEST(Parse, reads_back_random_graphs) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    const Graph g = random_graph(seed);
    ASSERT_EQ(verify(g), "") << "seed " << seed << "\n" << print(g);
    const std::string text = print(g);
    Result<Graph> again = parse(text);
    ASSERT_TRUE(again) << "seed " << seed << ": " << again.why() << "\n" << text;
    ASSERT_TRUE(*again == g) << "seed " << seed << "\n" << text << print(*again);
    ASSERT_EQ(again->hash(), g.hash()) << "seed " << seed;
  }
}

TEST(Parse, reads_what_a_person_writes) {
  const Graph g = parse(
                      "graph(\n x: f32[2],  # a.cpp:3 m\n y: number float64[])\n"
                      "{ z :f32[2]=mul( x,y )\n  return z->x }")
                      .value();
  EXPECT_EQ(print(g), R"(graph(
    x: f32[2],  # a.cpp:3 m
    y: number f64[]
) {
  z: f32[2] = mul(x, y)
  return z -> x
}
)");
}

std::string why(std::string_view text) {
  const Result<Graph> g = parse(text);
  return g ? "" : g.why();
}

TEST(Parse, says_where_a_text_is_broken) {
  EXPECT_EQ(why(""), "graph text, line 1: needs \"graph\"");
  EXPECT_EQ(why("graph(x: f31[2]) {"), "graph text, line 1: \"f31\" is not a dtype");
  EXPECT_EQ(why("graph(x: f32[n]) {"), "graph text, line 1: cannot read sizes n");
  EXPECT_EQ(why("graph(x: f32[2], x: f32[2]) {"), "graph text, line 1: the name x is given twice");
  EXPECT_EQ(why("graph(s0: f32[2]) {"), "graph text, line 1: s0 cannot be the name of a node");
  EXPECT_EQ(why("graph(x: f32[2]) {\n  y: f32[2] = frobnicate(x)\n"),
            "graph text, line 2: there is no op \"frobnicate\"");
  EXPECT_EQ(why("graph(x: f32[2]) {\n  y: f32[2] = exp(z)\n"),
            "graph text, line 2: \"z\" is neither a value nor a number");
  EXPECT_EQ(why("graph(x: f32[2]) {\n  y: f32[2] = permute(x, dim=[0])\n"),
            "graph text, line 2: permute(): got an unexpected argument 'dim'");
  EXPECT_EQ(why("graph(x: f32[2]) {\n  return x -> y\n}"),
            "graph text, line 2: \"y\" is not an input");
  EXPECT_EQ(why("graph(x: f32[2]) {\n  return x\n} x"),
            "graph text, line 3: there is more text after the graph");
  EXPECT_EQ(why("graph[s0=4](x: f32[floordiv(s0, 0)]) {\n  return x\n}"),
            "graph text, line 1: cannot read sizes floordiv(s0, 0)");
}

TEST(Parse, survives_texts_that_are_cut_or_changed_anywhere) {
  const std::string good = print(random_graph(3));
  for (size_t n = 0; n < good.size(); ++n) (void)parse(good.substr(0, n));
  for (size_t n = 0; n < good.size(); ++n) {
    for (const char c : {'(', ']', '"', '0', ' '}) {
      std::string changed = good;
      changed[n] = c;
      (void)parse(changed);
    }
  }
}

}  // namespace
}  // namespace vitro::graph
