// Graphs: names of nodes, users of values, refused operands, and hashes.
#include "vitro/graph/graph.h"

#include <gtest/gtest.h>

#include "graph/programs.h"

namespace vitro::graph {
namespace {

TEST(Graph, gives_each_node_a_name_of_its_own) {
  Builder b;
  const Tensor x = b.input("x", f32({2})), again = b.input("x", f32({2}));
  const Using use(&b);
  b.output(exp(exp(x)) + exp(again));
  const Graph g = b.take();
  std::vector<std::string> names;
  for (const Node& node : g.nodes()) names.push_back(node.name);
  EXPECT_EQ(names, (std::vector<std::string>{"x", "x_1", "exp", "exp_1", "exp_2", "add"}));
}

TEST(Graph, changes_names_that_its_text_could_not_hold) {
  Graph g;
  for (const char* name : {"s0", "true", "3d", "a b", "", "fc1.weight", "s"})
    g.add_input(name, f32({2}));
  std::vector<std::string> names;
  for (const Node& node : g.nodes()) names.push_back(node.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"s0_", "true_", "_3d", "a_b", "_", "fc1.weight", "s"}));
}

TEST(Graph, knows_who_reads_what) {
  Builder b;
  const Tensor x = b.input("x", f32({2}));
  const Using use(&b);
  const Tensor y = exp(x);
  b.output(y * y + x);
  const Graph g = b.take();
  const auto users = g.users();
  EXPECT_EQ(users[0], (std::vector<NodeId>{NodeId{1}, NodeId{3}}));
  EXPECT_EQ(users[1], (std::vector<NodeId>{NodeId{2}}));
  EXPECT_TRUE(users[3].empty());
}

TEST(Graph, refuses_operands_that_do_not_fit_as_the_op_words_it) {
  Graph g;
  const NodeId a = g.add_input("a", f32({2, 3})), b = g.add_input("b", f32({4, 5}));
  try {
    g.add(*ops::named("mm"), {Value{a}, Value{b}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "mm: inner sizes differ: left has 3 columns, right has 4 rows");
  }
}

TEST(Graph, reads_a_number_input_as_a_number) {
  Graph g;
  const NodeId x = g.add_input("x", f32({2}));
  const NodeId k = g.add_input("k", ops::dense(DType::f64, cpu, {}), InputKind::number);
  const NodeId y = g.add(*ops::named("mul"), {Value{x}, Value{k}});
  EXPECT_EQ(g[y].results[0].dtype, DType::f32);
  EXPECT_EQ(verify(g), "");
}

Graph two_exps(bool first_left) {
  Graph g;
  const NodeId x = g.add_input("x", f32({2})), y = g.add_input("y", f32({2}));
  const OpDef& exp_op = *ops::named("exp");
  const NodeId a = g.add(exp_op, {Value{first_left ? x : y}});
  const NodeId b = g.add(exp_op, {Value{first_left ? y : x}});
  const NodeId left = first_left ? a : b, right = first_left ? b : a;
  g.add_output({g.add(*ops::named("mul"), {Value{left}, Value{right}}), 0});
  return g;
}

TEST(Hash, does_not_depend_on_the_order_in_which_operands_were_evaluated) {
  EXPECT_EQ(two_exps(true).hash(), two_exps(false).hash());
}

TEST(Hash, does_not_count_names_places_and_dead_nodes) {
  Graph g = layer();
  const Hash before = g.hash();
  g[NodeId{3}].name = "other";
  g[NodeId{3}].location = {"elsewhere.cpp", 1, 0};
  g.add(*ops::named("exp"), {Value{NodeId{0}}});
  EXPECT_EQ(g.hash(), before);
}

TEST(Hash, counts_numbers_attributes_operands_metas_and_outputs) {
  const auto program = [](double k, bool keep, bool swapped, DType dtype, int writes) {
    Builder b;
    const Tensor x = b.input("x", ops::dense(dtype, cpu, {4})), y = b.input("y", f32({4}));
    const Using use(&b);
    const Tensor z = swapped ? y + x : x + y;
    b.output(sum(z * k, {0}, keep), writes);
    return b.take().hash();
  };
  const Hash base = program(0.0, false, false, DType::f32, -1);
  EXPECT_EQ(base, program(0.0, false, false, DType::f32, -1));
  EXPECT_NE(base, program(-0.0, false, false, DType::f32, -1));
  EXPECT_NE(base, program(0.0, true, false, DType::f32, -1));
  EXPECT_NE(base, program(0.0, false, true, DType::f32, -1));
  EXPECT_NE(base, program(0.0, false, false, DType::f64, -1));
  EXPECT_NE(base, program(0.0, false, false, DType::f32, 0));
}

// Recorded, not derived: a machine that gives other bits does not find what others kept.
TEST(Hash, is_the_same_on_every_machine) {
  EXPECT_EQ(layer().hash().hex(), "96afabac92762221f4685078424df828");
}

}  // namespace
}  // namespace vitro::graph
