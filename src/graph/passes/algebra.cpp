// Applies the rules of rules.cpp to each node and to its replacements, a limited number of times.
#include "graph/passes/algebra.h"

#include <array>
#include <bit>

#include "graph/metas.h"
#include "graph/passes/rebuild.h"
#include "vitro/base/error.h"
#include "vitro/graph/build.h"
#include "vitro/graph/pass.h"
#include "vitro/ops/shapes.h"

namespace vitro::graph {
namespace {

constexpr int most_rewrites_of_a_node = 16;

// A rule with its pattern as a graph, whose inputs 0 to 2 are the placeholders.
struct Pattern {
  const Rule* rule;
  Graph graph;
  Value root;
};

Pattern compile(const Rule& rule) {
  Builder build;
  const TensorMeta number = ops::dense(DType::f32, cpu, {2, 3});
  const TensorMeta truth = ops::dense(DType::boolean, cpu, {2, 3});
  const Placeholders p{
      build.input("x", number), build.input("y", number), build.input("c", truth), {}};
  const Using use(&build);
  const Value root = build.value(rule.from(p));
  return {&rule, build.take(), root};
}

struct Found {
  std::array<std::optional<Value>, 3> bound;
  std::vector<Attrs> attrs;
};

bool same_number(const Scalar& a, const Scalar& b) {
  return !a.is_symbolic() && !b.is_symbolic() &&
         std::bit_cast<uint64_t>(a.as_double()) == std::bit_cast<uint64_t>(b.as_double());
}

bool is_number(const Graph& g, Value value) {
  return g[value.node].is_input() && g[value.node].input == InputKind::number;
}

bool match(const Pattern& pattern, Value wanted, const Graph& g, Value got, Found& found);

bool match_arg(const Pattern& pattern, const Arg& wanted, const Graph& g, const Arg& got,
               Found& found) {
  if (wanted.index() != got.index()) return false;
  if (const auto* value = std::get_if<Value>(&wanted))
    return match(pattern, *value, g, std::get<Value>(got), found);
  if (const auto* number = std::get_if<Scalar>(&wanted))
    return same_number(*number, std::get<Scalar>(got));
  return true;
}

bool match(const Pattern& pattern, Value wanted, const Graph& g, Value got, Found& found) {
  const Node& want = pattern.graph[wanted.node];
  const Node& node = g[got.node];
  if (want.is_input()) {
    std::optional<Value>& bound = found.bound[wanted.node.n];
    if (!bound && !is_number(g, got)) bound = got;
    return bound == got;
  }
  if (node.op != want.op || got.output != wanted.output || node.args.size() != want.args.size())
    return false;
  found.attrs.push_back(node.attrs);
  for (size_t i = 0; i < want.args.size(); ++i) {
    if (!match_arg(pattern, want.args[i], g, node.args[i], found)) return false;
  }
  return true;
}

// The value that replaces the node by this rule, if the rule applies.
std::optional<Value> rewrite(Graph& g, NodeId id, const Pattern& pattern) {
  Found found;
  if (!match(pattern, pattern.root, g, {id, 0}, found)) return std::nullopt;
  const TensorMeta wanted = g.meta({id, 0});
  const SourceLocation location = g[id].location;
  Builder build(std::move(g));
  build.set_location(location);
  Placeholders p;
  p.attrs = std::move(found.attrs);
  Tensor* const tensors[] = {&p.x, &p.y, &p.c};
  for (size_t i = 0; i < found.bound.size(); ++i) {
    if (found.bound[i]) *tensors[i] = build.tensor(*found.bound[i]);
  }
  std::optional<Value> now;
  try {
    const Using use(&build);
    if (!pattern.rule->when || pattern.rule->when(p)) now = build.value(pattern.rule->to(p));
  } catch (const Error&) {  // an op does not accept these dtypes: the rule does not apply
  }
  g = build.take();
  if (now && !fits(g.meta(*now), wanted)) now.reset();
  return now;
}

// Patterns, indexed by the op at their root.
class Patterns {
 public:
  explicit Patterns(std::span<const Rule> rules) {
    for (const Rule& rule : rules) {
      Pattern one = compile(rule);
      const auto op = static_cast<size_t>(one.graph[one.root.node].op->index);
      if (by_op_.size() <= op) by_op_.resize(op + 1);
      by_op_[op].push_back(std::move(one));
    }
  }
  std::span<const Pattern> of(const OpDef& op) const {
    const auto index = static_cast<size_t>(op.index);
    return index < by_op_.size() ? std::span<const Pattern>(by_op_[index])
                                 : std::span<const Pattern>();
  }

 private:
  std::vector<std::vector<Pattern>> by_op_;
};

std::optional<Value> rewrite_once(Graph& g, NodeId id, const Patterns& patterns, bool views) {
  if (g[id].is_input()) return std::nullopt;
  for (const Pattern& pattern : patterns.of(*g[id].op)) {
    if (const auto now = rewrite(g, id, pattern)) return now;
  }
  if (views && g[id].op->kind == OpKind::view) return shorten_views(g, id);
  return std::nullopt;
}

Graph apply(Graph& g, const Patterns& patterns, bool views) {
  Rebuild made = Rebuild::taking(g);
  for (uint32_t n = 0; n < g.size(); ++n) {
    const NodeId id{n};
    if (g[id].is_input()) continue;
    made.keep(id);
    Value now = made[{id, 0}];
    for (int i = 0; i < most_rewrites_of_a_node; ++i) {
      const auto next =
          now.output == 0 ? rewrite_once(made.to, now.node, patterns, views) : std::nullopt;
      if (!next) break;
      // A new node takes over the name; an existing one keeps its own.
      if (next->node.n > now.node.n) std::swap(made.to[next->node].name, made.to[now.node].name);
      now = *next;
    }
    made.set({id, 0}, now);
  }
  return made.take();
}

}  // namespace

Graph apply_rule(Graph g, const Rule& rule) {
  return apply(g, Patterns({&rule, 1}), false);
}

Graph algebra(Graph g) {
  static const auto* patterns = new Patterns(algebra_rules());
  return apply(g, *patterns, true);
}

}  // namespace vitro::graph
