#include <gtest/gtest.h>

#include "graph/programs.h"
#include "graph/random_graph.h"
#include "vitro/base/cat.h"

namespace vitro::graph {
namespace {

TEST(Parse, reads_back_what_print_wrote) {
  const Graph g = layer();
  EXPECT_TRUE(parse(print(g)).value() == g) << print(g);
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

// The same calls by position, by name and with what is their default.
TEST(Parse, takes_arguments_as_a_call_does) {
  const auto read = [](std::string_view call, std::string_view type) {
    const std::string text = cat("graph(x: f32[4, 3], i: i64[2], b: f32[3]) {\n  y: ", type, " = ",
                                 call, "\n  return y\n}\n");
    const Result<Graph> g = parse(text);
    if (!g) return g.why();
    EXPECT_EQ(verify(*g), "") << text;
    const std::string printed = print(*g);
    EXPECT_TRUE(parse(printed).value() == *g) << printed;
    const size_t begin = printed.find(" = ") + 3;
    return printed.substr(begin, printed.find('\n', begin) - begin);
  };
  for (const char* call : {"slice(x, 0, 1, 3)", "slice(x, start=1, end=3)",
                           "slice(end=3, start=1, self=x)", "slice(x, 0, 1, 3, step=1)"})
    EXPECT_EQ(read(call, "f32[2, 3]{offset=3}"), "slice(x, start=1, end=3)");
  for (const char* call : {"sum(x, [1], true)", "sum(x, dim=1, keepdim=True, dtype=None)"})
    EXPECT_EQ(read(call, "f32[4, 1]"), "sum(x, dim=[1], keepdim=true)");
  EXPECT_EQ(read("sum(x)", "f32[]"), "sum(x)");
  EXPECT_EQ(read("sum(x, dtype=f64)", "f64[]"), "sum(x, dtype=f64)");
  EXPECT_EQ(read("sum(x, [], true)", "f32[1, 1]"), "sum(x, dim=[], keepdim=true)");
  EXPECT_EQ(read("any(x, 1)", "bool[4]"), "any(x, dim=1)");
  EXPECT_EQ(read("any(x, [0, 1])", "bool[]"), "any(x, dim=[0, 1])");
  EXPECT_EQ(read("argmax(x, 1)", "i64[4]"), "argmax(x, dim=1)");
  EXPECT_EQ(read("index_select(x, 0, i)", "f32[2, 3]"), "index_select(x, dim=0, index=i)");
  EXPECT_EQ(read("cat([x, x], 1)", "f32[4, 6]"), "cat([x, x], dim=1)");
  EXPECT_EQ(read("cat([x])", "f32[4, 3]"), "cat([x])");
  EXPECT_EQ(read("full([2], 1.5)", "f32[2]"), "full(size=[2], fill_value=1.5)");
  EXPECT_EQ(read("leaky_relu(x)", "f32[4, 3]"), "leaky_relu(x)");
  EXPECT_EQ(read("leaky_relu(x, 0.01)", "f32[4, 3]"), "leaky_relu(x)");
  EXPECT_EQ(read("elu(x, scale=2)", "f32[4, 3]"), "elu(x, scale=2)");
  EXPECT_EQ(read("clone(x, memory_format=\"contiguous\")", "f32[4, 3]"),
            "clone(x, memory_format=\"contiguous\")");
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
  EXPECT_EQ(why("graph(x: f31[2]) {"), "graph text, line 1: \"f31\" is no dtype");
  EXPECT_EQ(why("graph(x: f32[n]) {"), "graph text, line 1: cannot read sizes n");
  EXPECT_EQ(why("graph(x: f32[2], x: f32[2]) {"), "graph text, line 1: the name x is given twice");
  EXPECT_EQ(why("graph(s0: f32[2]) {"), "graph text, line 1: s0 cannot be the name of a node");
  EXPECT_EQ(why("graph(x: f32[2]) {\n  y: f32[2] = frobnicate(x)\n"),
            "graph text, line 2: there is no op \"frobnicate\"");
  EXPECT_EQ(why("graph(x: f32[2]) {\n  y: f32[2] = exp(z)\n"),
            "graph text, line 2: \"z\" is no value and no number");
  EXPECT_EQ(why("graph(x: f32[2]) {\n  y: f32[2] = permute(x, dim=[0])\n"),
            "graph text, line 2: permute: there is no argument 'dim' in permute(Tensor(a) self, "
            "int[] dims) -> Tensor(a)");
  EXPECT_EQ(why("graph(x: f32[2]) {\n  y: f32[2] = permute(x)\n"),
            "graph text, line 2: permute: argument 'dims' is missing in permute(Tensor(a) self, "
            "int[] dims) -> Tensor(a)");
  EXPECT_EQ(why("graph(x: f32[2]) {\n  y: f32[2] = permute(x, dims=[0.5])\n"),
            "graph text, line 2: permute: argument 'dims' must be int[], got [0.5]");
  EXPECT_EQ(why("graph(x: f32[2]) {\n  y: f32[2] = exp(x, self=x)\n"),
            "graph text, line 2: exp: several values for argument 'self'");
  EXPECT_EQ(why("graph(x: f32[2]) {\n  y: f32[2] = exp(x, 1)\n"),
            "graph text, line 2: exp: got 2 arguments by position; exp(Tensor self) -> Tensor");
  EXPECT_EQ(why("graph(x: f32[2]) {\n  y: f32[2] = add(x, x, alpha=2)\n"),
            "graph text, line 2: add: no overload takes these arguments\n"
            "  add.Tensor: a graph has no argument 'alpha' of it\n"
            "  add.Scalar: a graph has no argument 'alpha' of it");
  EXPECT_EQ(why("graph[s0=4](x: f32[s0]) {\n  y: f32[] = select(x, s0, 0)\n"),
            "graph text, line 2: select.int: argument 'dim' must be int, got s0");
  EXPECT_EQ(why("graph(x: f32[2]) {\n  return x -> y\n}"), "graph text, line 2: \"y\" is no input");
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
