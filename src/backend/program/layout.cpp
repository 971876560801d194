// Finds sets of values that share a layout, and what their readers want of it.
#include "backend/program/layout.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <optional>

#include "core/over_positions.h"
#include "vitro/base/cat.h"

namespace vitro::backend {
namespace {

// By dimension of one value: the dimension of another value that corresponds to it.
using Dimensions = std::vector<int>;

Dimensions identity(int rank) {
  Dimensions out(static_cast<size_t>(rank));
  std::iota(out.begin(), out.end(), 0);
  return out;
}
Dimensions inverse(const Dimensions& of) {
  Dimensions out(of.size());
  for (size_t d = 0; d < of.size(); ++d) out[static_cast<size_t>(of[d])] = static_cast<int>(d);
  return out;
}
// `then` after `first`.
Dimensions composed(const Dimensions& first, const Dimensions& then) {
  Dimensions out;
  for (const int d : first) out.push_back(then[static_cast<size_t>(d)]);
  return out;
}

Index index_variables(const Index& sizes) {
  Index out;
  for (const Expr size : sizes) out.push_back(Expr::index(cat("d", out.size()), size));
  return out;
}

// For each dimension that is read, the only variable that its index depends on; the dimensions that
// depend on none get the variables that are left, in order. Nullopt if there is no such mapping.
std::optional<Dimensions> dimensions_read(const Index& read, const Index& variables) {
  constexpr int none = -1;
  if (read.size() != variables.size()) return std::nullopt;
  Dimensions out(read.size(), none);
  std::vector<bool> used(variables.size(), false);
  for (size_t d = 0; d < read.size(); ++d) {
    for (size_t v = 0; v < variables.size(); ++v) {
      if (!sym::contains(read[d], variables[v])) continue;
      if (out[d] != none || used[v]) return std::nullopt;
      out[d] = static_cast<int>(v);
      used[v] = true;
    }
  }
  for (int& one : out) {
    if (one != none) continue;
    const auto left = std::ranges::find(used, false);
    one = static_cast<int>(left - used.begin());
    *left = true;
  }
  return out;
}

// Order of the dimensions with those of `last` after the others.
MemoryOrder with_last(int rank, const std::function<bool(int)>& is_last) {
  MemoryOrder out = identity(rank);
  std::ranges::stable_partition(out, [&](int d) { return !is_last(d); });
  return out;
}

class Layouts {
 public:
  explicit Layouts(const Program& program)
      : p_(program),
        g_(program.graph()),
        parent_(g_.size()),
        size_(g_.size(), 1),
        to_parent_(g_.size()) {
    std::iota(parent_.begin(), parent_.end(), 0U);
    for (uint32_t n = 0; n < g_.size(); ++n) to_parent_[n] = identity(g_[{n}].results[0].rank());
  }

  std::vector<MemoryOrder> run() {
    std::vector<MemoryOrder> out(g_.size());
    if (!has_choice()) return out;
    for (uint32_t i = 0; i < p_.compute_nodes().size(); ++i) look(ComputeNodeId{i});
    choose();
    for (uint32_t n = 0; n < g_.size(); ++n) {
      if (!is_free({n})) continue;
      const auto [root, to_root] = find(n);
      const auto chosen = chosen_.find(root);
      if (chosen != chosen_.end()) out[n] = composed(chosen->second, inverse(to_root));
    }
    return out;
  }

 private:
  struct Channels {  // a dimension of a node
    uint32_t node;
    int dim;
  };
  struct Place {
    uint32_t root;
    Dimensions to_root;
  };
  Place find(uint32_t n) {
    if (parent_[n] == n) return {n, to_parent_[n]};
    Place out = find(parent_[n]);
    out.to_root = composed(to_parent_[n], out.to_root);
    parent_[n] = out.root;
    to_parent_[n] = out.to_root;
    return out;
  }
  // `map`: by dimension of b, that of a.  The smaller set is put below the larger one, so that a
  // path to a root is short.
  void join(uint32_t a, uint32_t b, const Dimensions& map) {
    const Place of_a = find(a), of_b = find(b);
    if (of_a.root == of_b.root) return;
    if (size_[of_a.root] < size_[of_b.root]) return join(b, a, inverse(map));
    parent_[of_b.root] = of_a.root;
    size_[of_a.root] += size_[of_b.root];
    to_parent_[of_b.root] = composed(inverse(of_b.to_root), composed(map, of_a.to_root));
  }

  // Whether the layout of a value may be chosen.
  bool is_free(graph::NodeId node) const {
    const graph::Node& made = g_[node];
    return !made.is_input() && !p_.is_inlined(node) && !p_.is_output_value(node) &&
           p_.alias_target(node) == node && made.op->kind != OpKind::opaque &&
           made.results[0].rank() >= 3;
  }
  bool is_convolution(graph::NodeId node) const {
    const graph::Node& made = g_[node];
    return !made.is_input() && made.op->contraction && made.op->contraction->windows;
  }
  // Of a convolution: its results are weights.
  bool makes_weights(graph::NodeId node) const { return sums_positions(*g_[node].op->contraction); }
  // The strides that eager gives the value are not those of its shape.
  bool is_permuted(graph::NodeId node) const {
    const TensorMeta& meta = g_[node].results[0];
    return strides_of_new(meta) != strides_in_order(sizes_of(meta), identity(meta.rank()));
  }
  bool has_choice() const {
    for (uint32_t n = 0; n < g_.size(); ++n)
      if (is_convolution({n}) || (is_free({n}) && is_permuted({n}))) return true;
    return false;
  }

  void look(ComputeNodeId id) {
    const ComputeNode& made = p_[id];
    const graph::NodeId node = made.value.node;
    if (made.role == ComputeRole::output || made.role == ComputeRole::write) return;
    if (g_[node].is_input()) return;
    if (is_convolution(node)) {
      look_at_convolution(node);
    } else if (made.kind == ComputeKind::elementwise) {
      look_at_elements(id);
      if (made.role == ComputeRole::slice) look_at_channels(id);
    } else if (made.kind == ComputeKind::reduction || made.kind == ComputeKind::scan ||
               made.kind == ComputeKind::sort) {
      look_at_rows(id);
    } else if (made.kind == ComputeKind::product) {
      look_at_product(node);
    }
  }

  void look_at_convolution(graph::NodeId node) {
    const Dimensions last = with_last(g_[node].results[0].rank(), [](int d) { return d == 1; });
    want_in_memory(std::get<graph::Value>(g_[node].args[0]), last);
    if (makes_weights(node)) {
      want_in_memory(std::get<graph::Value>(g_[node].args[1]), last);
    } else {
      want(node, last, true);
    }
  }
  // Of what an operand reads.
  void want_in_memory(graph::Value image, const Dimensions& dimensions) {
    const Index variables = index_variables(sizes_of(g_.meta(image)));
    std::vector<Read> reads;
    p_.resolve({image, variables}, reads);
    for (const Read& read : reads) {
      const auto map = dimensions_read(read.index, variables);
      if (map) want(read.value.node, composed(dimensions, inverse(*map)), true);
    }
  }

  void look_at_elements(ComputeNodeId id) {
    const graph::NodeId node = p_[id].value.node;
    const Index variables = index_variables(p_[id].sizes);
    const bool has_all = std::ssize(variables) == g_[node].results[0].rank();  // not of a select
    if (!has_all || !is_free(node)) return;
    for (const Read& read : p_.reads_at(id, variables)) {
      const auto map = dimensions_read(read.index, variables);
      if (!is_free(read.value.node)) continue;
      if (map) {
        join(node.n, read.value.node.n, *map);
      } else if (g_[read.value.node].op->put) {
        look_at_planes(node, read, variables);
      }
    }
  }

  // The planes of a scatter by indices are one dimension, which its reader divides: what it shares
  // with the reader is innermost if that is innermost there.
  void look_at_planes(graph::NodeId reader, const Read& read, const Index& variables) {
    for (size_t d = 0; d < read.index.size(); ++d) {
      const auto v = std::ranges::find(variables, read.index[d]);
      if (v == variables.end() || read.index[d].constant()) continue;
      planes_.push_back({{reader.n, static_cast<int>(v - variables.begin())},
                         {read.value.node.n, static_cast<int>(d)}});
    }
  }

  // A convolution that is a part of a tensor of another rank: the channels are contiguous there,
  // too.
  void look_at_channels(ComputeNodeId id) {
    const Index variables = index_variables(p_[id].sizes);
    for (const Read& read : p_.reads_at(id, variables)) {
      if (!is_convolution(read.value.node) || makes_weights(read.value.node)) continue;
      for (size_t v = 0; v < variables.size(); ++v) {
        const auto linear = sym::as_linear(read.index[1], variables[v]);
        if (linear && linear->coefficient.is(1))
          channels_.push_back({p_[id].value.node.n, static_cast<int>(v)});
      }
    }
  }

  // Reductions and their kin sweep the reduced dimensions.
  void look_at_rows(ComputeNodeId id) {
    const ComputeNode& made = p_[id];
    const Index variables = index_variables(made.sizes);
    const auto is_swept = [&](Expr e) {
      bool kept = false, swept = false;
      for (size_t v = 0; v < variables.size(); ++v) {
        if (sym::contains(e, variables[v])) (made.reduced[v] ? swept : kept) = true;
      }
      return swept && !kept;
    };
    for (const Read& read : p_.reads_at(id, variables)) {
      want(read.value.node, with_last(static_cast<int>(read.index.size()), [&](int d) {
             return is_swept(read.index[static_cast<size_t>(d)]);
           }));
    }
  }

  // A product sweeps the columns of its left operand.
  void look_at_product(graph::NodeId node) {
    const auto left = std::get<graph::Value>(g_[node].args[0]);
    const Index variables = index_variables(sizes_of(g_.meta(left)));
    std::vector<Read> reads;
    p_.resolve({left, variables}, reads);
    for (const Read& read : reads) {
      want(read.value.node, with_last(static_cast<int>(read.index.size()), [&](int d) {
             return sym::contains(read.index[static_cast<size_t>(d)], variables.back());
           }));
    }
  }

  void want(graph::NodeId node, MemoryOrder order, bool decides = false) {
    if (is_free(node)) wants_.push_back({node.n, std::move(order), decides});
  }

  // A convolution decides. Without one the wish of most readers is granted if a value of the set
  // is permuted.
  void choose() {
    std::map<uint32_t, std::map<MemoryOrder, int>> votes;
    std::map<uint32_t, bool> has_permuted;
    for (uint32_t n = 0; n < g_.size(); ++n)
      if (is_free({n}) && is_permuted({n})) has_permuted[find(n).root] = true;
    for (const Want& one : wants_) {
      const auto [root, to_root] = find(one.node);
      const MemoryOrder order = composed(one.order, to_root);
      if (one.decides) chosen_.try_emplace(root, order);
      if (!one.decides && has_permuted.contains(root)) ++votes[root][order];
    }
    for (const Channels& one : channels_) choose_channels(one);
    for (const auto& [reader, planes] : planes_) {
      const auto [root, to_root] = find(reader.node);
      const auto chosen = chosen_.find(root);
      if (chosen == chosen_.end()) continue;
      if (chosen->second.back() != to_root[static_cast<size_t>(reader.dim)]) continue;
      const Place of_planes = find(planes.node);
      const auto rank = static_cast<int>(of_planes.to_root.size());
      const MemoryOrder order = with_last(rank, [&](int d) { return d == planes.dim; });
      chosen_.try_emplace(of_planes.root, composed(order, of_planes.to_root));
    }
    for (const auto& [root, orders] : votes) {
      const auto most =
          std::ranges::max_element(orders, {}, [](const auto& o) { return o.second; });
      const auto equal =
          std::ranges::count_if(orders, [&](const auto& o) { return o.second == most->second; });
      if (equal == 1) chosen_.try_emplace(root, most->first);
    }
  }

  // The channels last, the other dimensions in the order of the value that is computed last.
  void choose_channels(const Channels& one) {
    const auto [root, to_root] = find(one.node);
    if (chosen_.contains(root)) return;
    uint32_t last = one.node;
    for (uint32_t n = one.node; n < g_.size(); ++n)
      if (find(n).root == root) last = n;
    const Dimensions of_last = find(last).to_root;
    const int channels = to_root[static_cast<size_t>(one.dim)];
    const auto order = with_last(static_cast<int>(of_last.size()), [&](int d) {
      return of_last[static_cast<size_t>(d)] == channels;
    });
    chosen_.emplace(root, composed(order, of_last));
  }

  struct Want {
    uint32_t node;
    MemoryOrder order;
    bool decides;
  };

  const Program& p_;
  const graph::Graph& g_;
  std::vector<uint32_t> parent_;       // a node of the same set; itself if it is the root
  std::vector<uint32_t> size_;         // of the set of a root
  std::vector<Dimensions> to_parent_;  // by node: by its dimension, the parent's
  std::vector<Want> wants_;
  std::vector<Channels> channels_;
  std::vector<std::pair<Channels, Channels>>
      planes_;                              // the same dimension of a reader and of planes
  std::map<uint32_t, MemoryOrder> chosen_;  // by root, in its dimensions
};

}  // namespace

std::vector<MemoryOrder> memory_orders(const Program& program) {
  return Layouts(program).run();
}

Index strides_in_order(const Index& sizes, std::span<const int> order) {
  Index strides(sizes.size(), Expr(1));
  Expr stride = 1;
  for (size_t i = order.size(); i-- > 0;) {
    const auto d = static_cast<size_t>(order[i]);
    strides[d] = stride;
    stride = stride * sizes[d];
  }
  return strides;
}

}  // namespace vitro::backend
