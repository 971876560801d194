// Arguments of ops in graph text: how they are printed, parsed, and refused.
#include <gtest/gtest.h>

#include "graph/programs.h"
#include "graph/random_graph.h"
#include "vitro/base/cat.h"

namespace vitro::graph {
namespace {

std::string with(std::string_view call) {
  return cat("graph[s0=4](x: f32[s0, 3], y: f32[s0, 3], i: i64[2]) {\n  r: f32[s0, 3] = ", call,
             "\n  return r\n}\n");
}

// The call after parsing and printing it.
std::string written(std::string_view call) {
  const Result<Graph> g = parse(with(call));
  if (!g) return g.why();
  const std::string text = print(*g), begin = "  r: f32[s0, 3] = ";
  EXPECT_TRUE(*parse(text) == *g) << text;
  const size_t at = text.find(begin) + begin.size();
  return text.substr(at, text.find('\n', at) - at);
}

TEST(Arguments, are_written_as_the_schema_names_them) {
  for (const char* call : {
           "add(x, y)",
           "add(x, 2)",
           "pow(2, x)",
           "where(x, 0, y)",
           "permute(x, dims=[1, 0])",
           "sum(x)",
           "sum(x, dim=[1], keepdim=True, dtype=f64)",
           "any(x, dim=1)",
           "squeeze(x, dim=[0, 1])",
           "argmax(x, dim=0)",
           "slice(x, dim=1, start=s0 - 2)",
           "cat([x, y])",
           "cat([x, y], dim=1)",
           "full(size=[s0, 3], fill_value=1.5, dtype=f32)",
           "arange(0, s0)",
           "arange(0, 4, 2, dtype=f64)",
           "index_select(x, dim=1, index=i)",
           "_softmax(x, dim=-1, half_to_float=False)",
           "native_layer_norm(x, normalized_shape=[3], weight=None, bias=None, eps=1e-05)",
           "native_layer_norm(x, normalized_shape=[3], weight=y, bias=None, eps=0.5)",
           "linear(x, y)",
           "addmm(x, x, y, alpha=2)",
           "elu(x)",
           "elu(x, scale=2.0)",
           "clamp(x, max=3)",
           "gelu(x, approximate=\"tanh\")",
           "clone(x, memory_format=\"contiguous\")",
           "scaled_dot_product_attention(x, y, y, is_causal=True, scale=0.25)",
           "avg_pool2d(x, kernel_size=[2, 2], stride=[2, 1])",
       })
    EXPECT_EQ(written(call), call);
}

TEST(Arguments, are_read_in_every_form_that_the_schema_allows) {
  EXPECT_EQ(written("add.Tensor(self=x, other=y, alpha=1)"), "add(x, y)");
  EXPECT_EQ(written("permute(dims=[1, 0], self=x)"), "permute(x, dims=[1, 0])");
  EXPECT_EQ(written("permute(x, [1, 0])"), "permute(x, dims=[1, 0])");
  EXPECT_EQ(written("sum.dim_IntList(x, [1], True, dtype=None)"), "sum(x, dim=[1], keepdim=True)");
  EXPECT_EQ(written("sum(x, dim=1, keepdim=false)"), "sum(x, dim=[1])");
  EXPECT_EQ(written("full([s0, 3], 2)"), "full(size=[s0, 3], fill_value=2)");
  EXPECT_EQ(written("slice(x, 1, None, None, 1)"), "slice(x, dim=1)");
  EXPECT_EQ(written("addmm(x, x, y, beta=1, alpha=1)"), "addmm(x, x, y)");
  EXPECT_EQ(written("linear(x, y, None)"), "linear(x, y)");
  EXPECT_EQ(written("avg_pool2d(x, 2)"), "avg_pool2d(x, kernel_size=[2])");
  EXPECT_EQ(written("gelu(x, approximate='tanh')"), "gelu(x, approximate=\"tanh\")");
  EXPECT_EQ(written("clone(x, memory_format=\"contiguous_format\")"),
            "clone(x, memory_format=\"contiguous\")");
}

std::string why(std::string_view call) {
  const Result<Graph> g = parse(with(call));
  if (g) return "";
  const std::string line = "graph text, line 2: ";
  EXPECT_TRUE(g.why().starts_with(line)) << g.why();
  return g.why().substr(line.size());
}

TEST(Arguments, that_do_not_fit_are_named) {
  EXPECT_EQ(why("permute(x)"),
            "permute(): missing required argument 'dims' of permute(Tensor(a) self, int[] dims) -> "
            "Tensor(a)");
  EXPECT_EQ(why("permute(x, dims=0.5)"),
            "permute(): argument 'dims' (position 2) must be int[], got 0.5");
  EXPECT_EQ(why("permute(x, dims=None)"),
            "permute(): argument 'dims' (position 2) must be int[], got None");
  EXPECT_EQ(why("permute(x, dims=[a])"),
            "permute(): argument 'dims' (position 2) must be int[], got [a]");
  EXPECT_EQ(why("permute(x, dims=[s0])"),
            "permute(): argument 'dims' (position 2) must be int[], got [s0]");
  EXPECT_EQ(why("select(x, s0, 0)"),
            "select.int(): argument 'dim' (position 2) must be int, got s0");
  EXPECT_EQ(why("permute(x, dim=[0])"), "permute(): got an unexpected argument 'dim'");
  EXPECT_EQ(why("permute(x, [0], dims=[0])"), "permute(): got several values for argument 'dims'");
  EXPECT_EQ(why("permute(dims=[0], x)"),
            "permute(): the positional argument \"x\" follows the named argument dims=");
  EXPECT_EQ(why("exp(x, y)"), "exp(): takes 1 positional arguments, got 2");
  EXPECT_EQ(why("gelu(x, approximate=\"fast\")"),
            "gelu(): argument 'approximate' must be \"none\" or \"tanh\", got \"fast\"");
  EXPECT_EQ(why("permute(x, [True])"),
            "permute(): argument 'dims' (position 2) must be int[], got [True]");
  EXPECT_EQ(why("cat(x)"), "cat(): argument 'tensors' (position 1) must be Tensor[], got x");
  EXPECT_EQ(why("add.Complex(x, y)"), "add has no overload \"Complex\"");
  EXPECT_EQ(why("add.Tensor(x, y, alpha=2)"), "add.Tensor(): alpha=2 is not implemented; needs 1");
  EXPECT_EQ(why("any(x, axis=1)"),
            "any(): no overload takes these arguments\n"
            "  any(): got an unexpected argument 'axis'\n"
            "  any.dim(): got an unexpected argument 'axis'\n"
            "  any.dims(): got an unexpected argument 'axis'");
}

TEST(Arguments, at_their_defaults_make_the_same_node) {
  const auto node_of = [](std::string_view call) { return parse(with(call)).value(); };
  EXPECT_TRUE(node_of("linear(x, y, None)") == node_of("linear(x, y)"));
  EXPECT_EQ(node_of("addmm(x, y, y, beta=1, alpha=1)").hash(), node_of("addmm(x, y, y)").hash());
  EXPECT_NE(node_of("addmm(x, y, y, beta=1.0)").hash(), node_of("addmm(x, y, y)").hash());
  Builder b;
  const Tensor x = b.input("x", f32({4, 3})), w = b.input("w", f32({5, 3}));
  const Using use(&b);
  b.output(linear(x, w));
  EXPECT_EQ(b.take().nodes().back().args.size(), 2U);
}

// A graph that does not verify is printed nevertheless.
TEST(Arguments, that_the_schema_does_not_know_are_printed) {
  Graph g = layer();
  g[NodeId{3}].args.emplace_back(Scalar(7));
  EXPECT_NE(print(g).find("= mm(x, permute, 7)"), std::string::npos) << print(g);
  g[NodeId{2}].attrs = {};
  EXPECT_NE(print(g).find("= permute(weight)"), std::string::npos) << print(g);
}

}  // namespace
}  // namespace vitro::graph
