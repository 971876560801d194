// Algebraic rules as data: a rule has a name and two sides, written in public ops on placeholders.
//   {"mul_one", [](In p) { return p.x * 1; }, [](In p) { return p.x; }},
// A rule applies if the pattern matches and the replacement has the same dtype, sizes and strides,
// so "x * 1.0" of integers is kept.  Only bit-exact rules are listed (all NaNs are equal).  A
// number in a pattern matches that value, including its sign, of any kind of number; attributes in
// a pattern match any.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "vitro/graph/graph.h"

namespace vitro::graph {

struct Placeholders {
  Tensor x, y;               // any tensors
  Tensor c;                  // a bool tensor
  std::vector<Attrs> attrs;  // of the matched nodes in preorder: the root, then its operands
};
using In = const Placeholders&;

struct Rule {
  std::string_view name;
  Tensor (*from)(In);
  Tensor (*to)(In);
  bool (*when)(In) = nullptr;
};
const std::vector<Rule>& algebra_rules();

// Applies one rule to all nodes.
Graph apply_rule(Graph g, const Rule& rule);

// A value that equals the view but is made by a shorter chain of views, if there is one; added to
// the graph if necessary.  Compares index maps, so it works for any view ops.
std::optional<Value> shorten_views(Graph& g, NodeId view);

}  // namespace vitro::graph
