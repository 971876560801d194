#include "vitro/graph/build.h"

#include <gtest/gtest.h>

#include "graph/programs.h"

namespace vitro::graph {
namespace {

TEST(Builder, gives_sizes_with_their_symbols) {
  Builder b;
  const sym::Expr s0 = sym::Expr::symbol("s0");
  const Tensor x = b.input("x", f32({Size(6, s0), 4}));
  const Using use(&b);
  const Tensor y = slice(x, 0, 0, x.size(0) / 2);
  EXPECT_EQ(y.size(0).value(), 3);
  EXPECT_EQ(y.size(0).expr(), sym::floordiv(s0, 2));
  b.output(y);
  const Graph g = b.take();
  EXPECT_EQ(g.symbols(), std::vector<sym::Expr>{s0});
  EXPECT_EQ(verify(g), "");
}

TEST(Builder, notes_where_each_op_was_called) {
  Builder b;
  const Tensor x = b.input("x", f32({2}));
  const Using use(&b);
  b.output(exp(x));
  const uint32_t line = __LINE__ - 1;
  const Graph g = b.take();
  EXPECT_TRUE(g.nodes()[1].location.file.ends_with("build_test.cpp"));
  EXPECT_EQ(g.nodes()[1].location.line, line);
}

TEST(Builder, goes_on_with_a_graph) {
  Graph g = layer();
  const Value last = g.outputs()[0].value;
  Builder b(std::move(g));
  const Using use(&b);
  b.output(exp(b.tensor(last)));
  g = b.take();
  EXPECT_EQ(g.outputs().size(), 2u);
  EXPECT_EQ(verify(g), "");
}

TEST(Builder, refuses_what_has_no_value_yet_and_what_is_not_its_own) {
  Builder b;
  const Tensor x = b.input("x", f32({1}));
  const Using use(&b);
  EXPECT_THROW((void)x.item(), Error);
  EXPECT_THROW(exp_(x), Error);
  EXPECT_THROW(exp(Tensor::from({1.0F}, {1})), Error);
}

}  // namespace
}  // namespace vitro::graph
