#include "backend/program/layout.h"

#include <numeric>

namespace vitro::backend {
namespace {

class Layouts {
 public:
  explicit Layouts(const Program& program)
      : p_(program), g_(program.graph()), set_(g_.size()), wanted_(g_.size(), false) {
    std::iota(set_.begin(), set_.end(), 0U);
  }

  std::vector<bool> run() {
    for (uint32_t i = 0; i < p_.compute_nodes().size(); ++i) look(ComputeNodeId{i});
    std::vector<bool> out(g_.size(), false);
    for (uint32_t n = 0; n < g_.size(); ++n) out[n] = is_free({n}) && wanted_[root(n)];
    return out;
  }

 private:
  uint32_t root(uint32_t n) {
    while (set_[n] != n) n = set_[n] = set_[set_[n]];
    return n;
  }
  void join(uint32_t a, uint32_t b) {
    a = root(a), b = root(b);
    wanted_[a] = wanted_[a] || wanted_[b];
    set_[b] = a;
  }

  // Whether the layout of a value may be chosen.
  bool is_free(graph::NodeId node) const {
    const graph::Node& made = g_[node];
    return !made.is_input() && !p_.is_inlined(node) && !p_.is_output_value(node) &&
           p_.alias_target(node) == node && made.op->kind != OpKind::opaque &&
           made.results[0].rank() >= 3;
  }

  bool is_convolution(const graph::Node& node) const {
    return node.op->contraction && node.op->contraction->windows;
  }

  void look(ComputeNodeId id) {
    const ComputeNode& made = p_[id];
    const graph::NodeId node = made.value.node;
    if (made.role == ComputeRole::output || made.role == ComputeRole::write || g_[node].is_input())
      return;
    const bool convolves = is_convolution(g_[node]);
    if (!convolves && made.kind != ComputeKind::elementwise) return;
    if (convolves) want(node);
    const int rank = g_[node].results[0].rank();
    for (const graph::NodeId source : p_.sources(id)) {
      if (g_[source].results[0].rank() != rank) continue;
      if (!convolves) {
        if (is_free(node) && is_free(source)) join(node.n, source.n);
      } else if (source != weight_of(g_[node])) {
        want(source);
      }
    }
  }

  void want(graph::NodeId node) { wanted_[root(node.n)] = true; }

  graph::NodeId weight_of(const graph::Node& convolution) const {
    const auto weight = std::get<graph::Value>(convolution.args[1]);
    const Index start(static_cast<size_t>(g_.meta(weight).rank()), Expr(0));
    return p_.through_views({weight, start}).value.node;
  }

  const Program& p_;
  const graph::Graph& g_;
  std::vector<uint32_t> set_;  // a node of the same set; itself if it is the root
  std::vector<bool> wanted_;   // by root: a convolution reads or makes a value of the set
};

}  // namespace

std::vector<bool> channels_last_values(const Program& program) {
  return Layouts(program).run();
}

Index channels_last_strides(const Index& sizes) {
  Index strides(sizes.size(), Expr(1));
  Expr stride = sizes[1];
  for (size_t d = sizes.size(); d-- > 2;) {
    strides[d] = stride;
    stride = stride * sizes[d];
  }
  strides[0] = stride;
  return strides;
}

}  // namespace vitro::backend
