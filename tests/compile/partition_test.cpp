// Splitting graphs at data sizes.
#include "compile/partition.h"

#include <gtest/gtest.h>

#include "vitro/ops/all.h"

namespace vitro::pipeline {
namespace {

Partition split(std::string_view text) {
  Result<graph::Graph> g = graph::parse(text);
  EXPECT_TRUE(g) << g.why();
  EXPECT_EQ(graph::verify(*g), "");
  Partition parts = split_at_data(*g);
  for (const Subgraph& part : parts.parts) EXPECT_EQ(graph::verify(part.graph), "");
  return parts;
}

TEST(Partition, nodes_stand_with_those_that_read_them) {
  const Partition got = split(R"(graph[s0=5](x: f32[s0]) {
  gt: bool[s0] = gt(x, 0.0)
  exp: f32[s0] = exp(x)
  nonzero: i64[u0, 1]{strides=[1, u0]} = nonzero(gt)
  select: i64[u0] = select(nonzero, 1, 0)
  index_select: f32[u0] = index_select(exp, 0, select)
  return index_select
}
)");
  ASSERT_EQ(got.parts.size(), 2U);
  EXPECT_EQ(graph::print(got.parts[0].graph), R"(graph[s0=5](x: f32[s0]) {
  gt: bool[s0] = gt(x, 0.0)
  return gt
}
)");
  EXPECT_EQ(graph::print(got.parts[1].graph),
            R"(graph[s0=5, u0=5 in 0..](x: f32[s0], nonzero: i64[u0, 1]{strides=[1, u0]}) {
  exp: f32[s0] = exp(x)
  select: i64[u0] = select(nonzero, dim=1, index=0)
  index_select: f32[u0] = index_select(exp, dim=0, index=select)
  return index_select
}
)");
  EXPECT_EQ(got.parts[0].after.size(), 1U);
  EXPECT_EQ(got.parts[0].released, std::vector<uint32_t>{got.parts[0].outputs[0]});
}

TEST(Partition, what_reads_an_input_needs_no_part_before_it) {
  const Partition got = split(R"(graph(x: bool[4]) {
  nonzero: i64[u0, 1]{strides=[1, u0]} = nonzero(x)
  return nonzero
}
)");
  ASSERT_EQ(got.parts.size(), 2U);
  EXPECT_TRUE(got.parts[0].graph.outputs().empty());
  EXPECT_TRUE(got.parts[1].graph.outputs().empty());
  EXPECT_TRUE(got.parts[0].after[0].operands[0].input);
  EXPECT_EQ(got.outputs, std::vector<uint32_t>{got.parts[0].after[0].result});
}

TEST(Partition, sizes_that_do_not_wait_for_each_other_are_decided_together) {
  const Partition got = split(R"(graph(x: bool[4], y: f32[6]) {
  nonzero: i64[u0, 1]{strides=[1, u0]} = nonzero(x)
  gt: bool[6] = gt(y, 0.0)
  masked_select: f32[u1] = masked_select(y, gt)
  full: f32[u0 + u1] = full([u0 + u1], 1.0, dtype=f32)
  ones: bool[u0 + u1] = gt(full, 0.0)
  masked_select_1: f32[u2] = masked_select(full, ones)
  return masked_select_1
}
)");
  ASSERT_EQ(got.parts.size(), 3U);
  EXPECT_EQ(got.parts[0].after.size(), 2U);
  EXPECT_EQ(got.parts[1].after.size(), 1U);
  EXPECT_EQ(got.parts[2].graph.symbols().size(), 3U);
}

TEST(Partition, inputs_are_written_by_the_last) {
  const Partition got = split(R"(graph(x: f32[6]) {
  add: f32[6] = add(x, 1.0)
  gt: bool[6] = gt(add, 0.0)
  masked_select: f32[u0] = masked_select(add, gt)
  sum: f32[] = sum(masked_select)
  return sum, add -> x
}
)");
  ASSERT_EQ(got.parts.size(), 2U);
  for (const graph::Output& output : got.parts[0].graph.outputs()) EXPECT_LT(output.writes, 0);
  EXPECT_EQ(got.parts[1].graph.outputs().size(), 2U);
  EXPECT_GE(got.parts[1].graph.outputs()[1].writes, 0);
  EXPECT_EQ(got.outputs.size(), 1U);
}

}  // namespace
}  // namespace vitro::pipeline
