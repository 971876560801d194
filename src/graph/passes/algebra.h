// Algebra as data: a rule is a line with a name, both sides written in public ops on placeholders.
//   {"mul_one", [](In p) { return p.x * 1; }, [](In p) { return p.x; }},
// A rule applies where the pattern is found and the replacement has the very dtype, sizes and
// strides of what it replaces, so "x * 1.0" of whole numbers stays.  Only bit-exact rules are
// listed (NaN counts as NaN).  A number in a pattern stands for that value of any kind of number,
// with its sign; attributes in a pattern stand for any.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "vitro/graph/graph.h"

namespace vitro::graph {

struct Placeholders {
  Tensor x, y;  // any tensors
  Tensor c;     // a bool tensor
  std::vector<Attrs>
      attrs;  // of the nodes that were found, root first, then its operands' in order
};
using In = const Placeholders&;

struct Rule {
  std::string_view name;
  Tensor (*from)(In);
  Tensor (*to)(In);
  bool (*when)(In) = nullptr;
};
const std::vector<Rule>& algebra_rules();

// Applies one rule wherever it can be.
Graph apply_rule(Graph g, const Rule& rule);

// A view of a view that shows what a shorter chain shows: the value that may stand for it, added to
// the graph where needed.  Works on index maps, whatever the ops are.
std::optional<Value> shorten_views(Graph& g, NodeId view);

}  // namespace vitro::graph
