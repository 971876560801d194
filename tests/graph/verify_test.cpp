#include <gtest/gtest.h>

#include "graph/programs.h"

namespace vitro::graph {
namespace {

TEST(Verify, finds_nothing_wrong_with_a_good_graph) {
  EXPECT_EQ(verify(layer()), "");
}

TEST(Verify, says_what_is_wrong) {
  const auto broken = [](auto change) {
    Graph g = layer();
    change(g);
    return verify(g);
  };
  const NodeId mm{3};
  EXPECT_EQ(broken([&](Graph& g) { g[mm].args[0] = Value{NodeId{4}}; }),
            "node mm: operand number 4 comes after its use");
  EXPECT_EQ(broken([&](Graph& g) { g[mm].args[0] = Value{NodeId{0}, 1}; }),
            "node mm: its operand x has no result 1");
  EXPECT_EQ(broken([&](Graph& g) { g[mm].args.pop_back(); }),
            "node mm: mm: got 1 operands, needs 2");
  EXPECT_EQ(broken([&](Graph& g) { g[mm].name = std::string("x"); }),
            "node x: another node has the same name");
  EXPECT_EQ(broken([&](Graph& g) { g[mm].name = std::string("s0"); }),
            "node s0: its name cannot be written in graph text");
  EXPECT_EQ(broken([&](Graph& g) { g[mm].results[0].dtype = DType::f64; }),
            "node mm: result 0 is recorded as f64[s0, 64], but mm returns f32[s0, 64]");
  EXPECT_EQ(broken([&](Graph& g) { g[mm].results[0].strides = {}; }),
            "node mm: result 0 has 0 strides for 2 sizes");
  EXPECT_EQ(broken([&](Graph& g) { g[NodeId{2}].attrs = {}; }),
            "node permute: permute: needs its attributes");
  EXPECT_EQ(broken([](Graph& g) { g.set_symbols({}, {}); }),
            "node x: the symbol s0 is not among the graph's symbols");
  EXPECT_EQ(broken([](Graph& g) { g[NodeId{0}].results[0].sizes[1] = -1; }),
            "node x: input: sizes must not be negative, got [32, -1]");
  EXPECT_EQ(
      broken([](Graph& g) { g[NodeId{0}].results[0].sizes[1] = int64_t{1} << 60; }),
      "node x: input: a tensor of sizes [32, 1152921504606846976] has more bytes than 64 bits "
      "can count");
  EXPECT_EQ(broken([](Graph& g) { g.add_output({NodeId{0}, 3}); }),
            "graph: returns result 3 of node number 0, which it does not have");
  EXPECT_EQ(broken([](Graph& g) { g.add_output({NodeId{0}, 0}, 7); }),
            "graph: writes to input 7 of 2");
  EXPECT_EQ(broken([](Graph& g) { g.add_output({NodeId{3}, 0}, 0); }),
            "graph: writes f32[s0, 64] to the input x, which is f32[s0, 128]");
}

TEST(Verify, leaves_no_guards_behind) {
  const Graph g = layer();
  const sym::GuardSink sink;
  (void)verify(g);
  EXPECT_TRUE(sink.guards().empty());
}

}  // namespace
}  // namespace vitro::graph
