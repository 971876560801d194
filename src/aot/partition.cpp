// The network of a partition: for each value that needed ones depend on, an edge with its bytes as
// capacity; cutting it means to keep the value.
//
//   source ──► in(v) ──bytes──► out(v) ──► in(w), w is computed from v
//
// The source leads to values that are not computed again, needed values lead to the sink.
#include "aot/partition.h"

#include <algorithm>

#include "aot/min_cut.h"
#include "graph/metas.h"
#include "sym/data_size.h"
#include "vitro/ops/flops.h"

namespace vitro::aot {
namespace {

using graph::Graph;
using graph::Node;
using graph::NodeId;
using graph::Value;

int64_t count_of(const TensorMeta& meta) {
  int64_t count = 1;
  for (const Size size : meta.sizes) {
    if (__builtin_mul_overflow(count, size.hint(), &count)) return Network::unlimited / 1024;
  }
  return std::min(count, Network::unlimited / 1024);
}
int64_t bytes_of_value(const TensorMeta& meta) {
  return count_of(meta) * bytes_of(meta.dtype);
}

template <class F>
void each_operand(const Node& node, F f) {
  for (const graph::Arg& arg : node.args) {
    if (const auto* value = std::get_if<Value>(&arg)) f(*value);
  }
}

// So little work that it is done again rather than kept.
bool is_cheap(const Node& node) {
  return node.op->kind == OpKind::pointwise || node.op->kind == OpKind::view;
}

bool has_data_size(const Node& node) {
  bool any = false;
  graph::each_size(node, [&](Size s) { any |= is_by_data(s); });
  return any;
}

// Whether it may be computed again at all: users' functions may be slow.
bool is_possible(const Node& node) {
  return node.op->kind != OpKind::opaque && !has_data_size(node);
}

// By node: whether it is computed to get the values.  `read(v)` is called for each value that is
// read then and is not given.
template <class IsGiven, class Read>
std::vector<bool> computed_for(const std::vector<Value>& values, const Graph& g, IsGiven is_given,
                               Read read) {
  std::vector<bool> out(g.size(), false);
  for (const Value v : values) out[v.node.n] = true;
  for (auto n = static_cast<uint32_t>(g.size()); n-- > 0;) {
    if (!out[n]) continue;
    each_operand(g.nodes()[n], [&](Value v) {
      if (is_given(v)) return;
      out[v.node.n] = true;
      read(v);
    });
  }
  return out;
}

// Multiplications and additions, or else the elements that are read.
double work_of(const Graph& g, const Node& node) {
  double read = 0;
  each_operand(node, [&](Value v) { read += static_cast<double>(count_of(g.meta(v))); });
  if (node.op->kind != OpKind::contraction) return read;
  const uint64_t depth = ops::depth_of(*node.op, g.meta(std::get<Value>(node.args[0])),
                                       g.meta(std::get<Value>(node.args[1])));
  return 2 * static_cast<double>(count_of(node.results[0])) * static_cast<double>(depth);
}

class Partitioner {
 public:
  Partitioner(const Graph& g, const Needs& needs) : g_(g), needs_(needs), first_(g.size()) {
    for (uint32_t n = 0; n < g.size(); ++n) {
      first_[n] = values_;
      values_ += g.nodes()[n].results.size();
    }
    kept_ = flags(needs.kept);
    needed_ = flags(needs.values);
    changing_ = flags(needs.changing);
    find_cone();
    find_read_as_a_whole();
    find_cheap();
  }

  Partition run() {
    Partition best = without_chains();
    for (const Value v : needs_.values) best.needed_bytes += bytes_of_value(g_.meta(v));
    if (needs_.memory_budget >= 1) return best;
    const auto budget =
        static_cast<int64_t>(needs_.memory_budget * static_cast<double>(best.kept_bytes));
    const std::vector<uint32_t> order = by_worth();
    // The fewest that bring it below the budget; all, if even these do not.
    size_t low = 0, high = order.size();
    while (low < high) {
      const size_t middle = (low + high) / 2;
      if (with_first(order, middle).kept_bytes <= budget) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    Partition found = with_first(order, high);
    found.needed_bytes = best.needed_bytes;
    return found.kept_bytes < best.kept_bytes ? found : best;
  }

 private:
  size_t index(Value v) const { return first_[v.node.n] + v.output; }
  std::vector<bool> flags(const std::vector<Value>& of) const {
    std::vector<bool> out(values_, false);
    for (const Value v : of) out[index(v)] = true;
    return out;
  }

  // The nodes that needed values depend on.
  void find_cone() {
    in_cone_.assign(g_.size(), false);
    for (const Value v : needs_.values) in_cone_[v.node.n] = true;
    for (uint32_t n = static_cast<uint32_t>(g_.size()); n-- > 0;) {
      if (in_cone_[n]) each_operand(g_.nodes()[n], [&](Value v) { in_cone_[v.node.n] = true; });
    }
  }

  // Values that sums and products read: their gradients do, too, and need them in memory.
  void find_read_as_a_whole() {
    whole_.assign(values_, false);
    for (uint32_t n = static_cast<uint32_t>(g_.size()); n-- > 0;) {
      const Node& node = g_.nodes()[n];
      if (node.is_input()) continue;
      const bool is_view = node.op->kind == OpKind::view;
      if (is_view ? !whole_[first_[n]] : is_cheap(node)) continue;
      each_operand(node, [&](Value v) { whole_[index(v)] = true; });
    }
  }

  // If one value that gradients need as a whole is computed again from another one, both are in
  // memory at the same time, and so is the whole of a long chain: then the others are kept.
  Partition without_chains() {
    for (;;) {
      Partition out = cut();
      const std::vector<Value> links = links_of(out);
      if (links.empty()) return out;
      for (const Value v : links) is_again_[v.node.n] = false;
    }
  }

  // Values that are computed again, as a whole, and read to compute others.
  std::vector<Value> links_of(const Partition& parts) const {
    const std::vector<bool> kept = flags(parts.keep);
    const auto is_given = [&](Value v) {
      return g_[v.node].is_input() || kept_[index(v)] || kept[index(v)];
    };
    std::vector<bool> read(values_, false);
    (void)computed_for(parts.again, g_, is_given, [&](Value v) { read[index(v)] = true; });
    std::vector<Value> out;
    for (const Value v : parts.again) {
      if (whole_[index(v)] && read[index(v)]) out.push_back(v);
    }
    return out;
  }

  // The nodes that are not cheap, those first that save the most memory for their work.
  std::vector<uint32_t> by_worth() const {
    std::vector<uint32_t> out;
    std::vector<double> work_per_byte(g_.size());
    for (uint32_t n = 0; n < g_.size(); ++n) {
      const Node& node = g_.nodes()[n];
      if (!in_cone_[n] || node.is_input() || is_cheap(node) || !is_possible(node)) continue;
      double bytes = 0;
      for (const TensorMeta& meta : node.results)
        bytes += static_cast<double>(bytes_of_value(meta));
      work_per_byte[n] = work_of(g_, node) / std::max(bytes, 1.0);
      out.push_back(n);
    }
    std::ranges::stable_sort(out, {}, [&](uint32_t n) { return work_per_byte[n]; });
    return out;
  }

  Partition with_first(const std::vector<uint32_t>& order, size_t count) {
    find_cheap();
    for (size_t i = 0; i < count; ++i) is_again_[order[i]] = true;
    return cut();
  }

  void find_cheap() {
    is_again_.clear();
    for (const Node& node : g_.nodes())
      is_again_.push_back(!node.is_input() && is_cheap(node) && !has_data_size(node));
  }

  void add(Network& net, uint32_t n, const Node& node, uint32_t k) const {
    const size_t v = first_[n] + k;
    int64_t cost = kept_[v] ? 0 : bytes_of_value(node.results[k]);
    if (node.is_input()) cost = is_there(NodeId{n}) ? 0 : Network::unlimited;
    if (changing_[v]) cost = Network::unlimited;
    net.connect(in(v), out(v), cost);
    if (needed_[v]) net.connect(out(v), sink, Network::unlimited);
    if (!is_again_[n]) return net.connect(source, in(v), Network::unlimited);
    each_operand(node, [&](Value o) { net.connect(out(index(o)), in(v), Network::unlimited); });
  }

  bool is_there(NodeId input) const {
    const auto at = std::ranges::find(g_.inputs(), input);
    return needs_.inputs[static_cast<size_t>(at - g_.inputs().begin())];
  }

  Partition cut() const {
    Network net(2 + 2 * values_);
    each_value([&](uint32_t n, const Node& node, uint32_t k) { add(net, n, node, k); });
    const std::vector<bool> after = net.cut(source, sink);
    Partition parts;
    each_value([&](uint32_t n, const Node& node, uint32_t k) {
      const size_t v = first_[n] + k;
      if (node.is_input() || kept_[v]) return;
      if (!after[in(v)] && after[out(v)]) {
        parts.kept_bytes += bytes_of_value(node.results[k]);
        parts.keep.push_back({NodeId{n}, k});
      } else if (needed_[v]) {
        parts.again.push_back({NodeId{n}, k});
      }
    });
    return parts;
  }

  template <class F>
  void each_value(F f) const {
    for (uint32_t n = 0; n < g_.size(); ++n) {
      if (!in_cone_[n]) continue;
      const Node& node = g_.nodes()[n];
      for (uint32_t k = 0; k < node.results.size(); ++k) f(n, node, k);
    }
  }

  static constexpr size_t source = 0, sink = 1;
  static size_t in(size_t value) { return 2 + 2 * value; }
  static size_t out(size_t value) { return 3 + 2 * value; }
  const Graph& g_;
  const Needs& needs_;
  std::vector<size_t> first_;  // by node: the index of its first result among the values
  size_t values_ = 0;
  std::vector<bool> kept_, needed_, changing_, whole_;  // by value
  std::vector<bool> in_cone_, is_again_;                // by node; may be computed again
};

}  // namespace

Partition partition(const Graph& graph, const Needs& needs) {
  return Partitioner(graph, needs).run();
}

Rematerialization rematerialization(const Graph& graph, const std::vector<Value>& values,
                                    const std::vector<Value>& given) {
  const auto is_given = [&](Value v) {
    return graph[v.node].is_input() || std::ranges::find(given, v) != given.end();
  };
  const std::vector<bool> computed = computed_for(values, graph, is_given, [](Value) {});
  Rematerialization out;
  std::vector<std::pair<Value, Value>> now;  // of the sources
  std::vector<NodeId> node_now(graph.size());
  const auto mapped = [&](Value v) -> Value {
    if (!is_given(v)) return {node_now[v.node.n], v.output};
    const auto known = std::ranges::find(now, v, &std::pair<Value, Value>::first);
    if (known != now.end()) return known->second;
    const Node& made = graph[v.node];
    const NodeId input = out.graph.add_input(made.name, graph.meta(v), made.input, made.location);
    out.sources.push_back(v);
    return now.emplace_back(v, Value{input, 0}).second;
  };
  for (uint32_t n = 0; n < graph.size(); ++n) {
    if (!computed[n]) continue;
    Node node = graph.nodes()[n];
    for (graph::Arg& arg : node.args) {
      if (auto* value = std::get_if<Value>(&arg)) *value = mapped(*value);
    }
    node_now[n] = out.graph.add(std::move(node));
  }
  for (const Value v : values) out.graph.add_output({node_now[v.node.n], v.output});
  return out;
}

}  // namespace vitro::aot
