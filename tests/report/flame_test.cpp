#include "vitro/report/flame.h"

#include <gtest/gtest.h>

namespace vitro::report {
namespace {

constexpr FlameKind kinds[] = {{.name = "all", .in_legend = false},
                               {.name = "op", .hue = 28, .saturation = 85}};

std::string nanoseconds(int64_t value) {
  return std::to_string(value) + "ns";
}

size_t count(std::string_view text, std::string_view part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

std::string picture(const std::vector<FlameNode>& nodes) {
  TextOutput out;
  write_flame_graph(nodes, {.title = "a <b>", .kinds = kinds, .amount = nanoseconds}, out);
  out.finish();
  return out.text();
}

}  // namespace

TEST(FlameTree, adds_up_what_has_one_name_in_one_place) {
  FlameTree tree;
  const uint32_t outer = tree.child(FlameTree::root, {"outer;", 1, 1});
  tree[tree.child(outer, {"b", 2, 1})].self = 5;
  tree[tree.child(outer, {"a", 3, 1})].self = 7;
  tree[tree.child(outer, {"b", 2, 1})].self += 1;
  tree[tree.child(FlameTree::root, {"b", 2, 1})].self = 10;
  const std::vector<FlameNode> nodes = tree.take();
  ASSERT_EQ(nodes.size(), 5u);
  EXPECT_EQ(nodes[0].total, 23);
  EXPECT_EQ(nodes[1].name, "b");
  EXPECT_EQ(nodes[2].total, 13);
  EXPECT_EQ(nodes[3].name, "a");
  EXPECT_EQ(nodes[4].self, 6);
  EXPECT_EQ(nodes[4].parent, 2u);
  TextOutput out;
  write_stacks(nodes, out);
  out.finish();
  EXPECT_EQ(out.text(), "b 10\nouter_;a 7\nouter_;b 6\n");
  EXPECT_EQ(tree.take().size(), 1u);
}

TEST(FlameGraph, has_a_box_for_each_node_and_names_the_kinds) {
  FlameTree tree;
  tree[tree.child(FlameTree::root, {"<script>", 1, 1})].self = 4;
  const std::string svg = picture(tree.take());
  EXPECT_EQ(count(svg, "<svg class=\"frame "), 2u);
  EXPECT_NE(svg.find("<title>&lt;script&gt;\n4ns (100.00%), 4ns of its own</title>"),
            std::string::npos);
  EXPECT_NE(svg.find(".k1{--h:28;--s:85%}"), std::string::npos);
  EXPECT_EQ(count(svg, "class=\"key "), 1u);
  EXPECT_EQ(count(svg, "http"), count(svg, "http://www.w3.org/"));  // name spaces
}

}  // namespace vitro::report
