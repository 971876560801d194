// Cuts a graph after each op that decides a data size.  Every node gets the earliest part it can be
// in, then the latest that its users allow; values that cross a cut are held in slots.
#include "compile/partition.h"

#include <algorithm>
#include <map>
#include <optional>

#include "graph/metas.h"
#include "vitro/base/error.h"

namespace vitro::pipeline {
namespace {

using graph::Arg;
using graph::Graph;
using graph::Node;
using graph::NodeId;
using graph::Value;

bool is_compaction(const Node& node) {
  return !node.is_input() && node.op->compaction != nullptr;
}

template <class F>
void each_operand(const Node& node, F f) {
  for (const Arg& arg : node.args) {
    if (const auto* value = std::get_if<Value>(&arg)) f(*value);
  }
}

// Whether the node is cheap enough to recompute in each part that reads it.
bool is_repeated(const Node& node) {
  bool reads = false;
  each_operand(node, [&](Value) { reads = true; });
  return !reads || node.op->kind == OpKind::view;
}

class Splitter {
 public:
  explicit Splitter(const Graph& g)
      : g_(g), first_(g.size(), 0), part_(g.size(), 0), wanted_of_(1) {
    place_early();
    place_late();
  }

  Partition run() {
    out_.parts.resize(count_);
    wanted_of_.resize(count_);
    note_outputs();
    for (size_t p = count_; p-- > 0;) note_needs(p);
    for (size_t p = 0; p < count_; ++p) make(p);
    for (const Value v : plain_outputs_) out_.outputs.push_back(slot_of(v));
    released();
    out_.slots = static_cast<uint32_t>(slots_.size());
    return std::move(out_);
  }

 private:
  // The first part that a node can be in; a compaction runs after that part.
  void place_early() {
    const graph::DataGivers givers(g_);
    for (uint32_t n = 0; n < g_.size(); ++n) {
      const Node& node = g_.nodes()[n];
      const auto after = [&](NodeId id) {
        const size_t least = first_[id.n] + is_compaction(g_[id]);
        first_[n] = std::max(first_[n], least);
      };
      each_operand(node, [&](Value v) { after(v.node); });
      for (const NodeId giver : givers.needed_by(node)) after(giver);
      count_ = std::max(count_, first_[n] + 1 + is_compaction(node));
    }
  }

  void place_late() {
    part_.assign(g_.size(), count_ - 1);
    for (size_t n = g_.size(); n-- > 0;) {
      const Node& node = g_.nodes()[n];
      if (is_compaction(node)) part_[n] = first_[n];
      each_operand(node, [&](Value v) { part_[v.node.n] = std::min(part_[v.node.n], part_[n]); });
    }
  }

  // Whether part p computes the value itself, rather than taking it as an input.
  bool is_made_in(size_t p, Value v) const {
    const Node& node = g_[v.node];
    if (node.is_input() || is_compaction(node)) return false;
    return part_[v.node.n] == p || (part_[v.node.n] < p && is_repeated(node));
  }

  // Collects what parts must output: graph outputs; note_needs adds inputs of other parts and of
  // compactions.
  void note_outputs() {
    for (const graph::Output& output : g_.outputs()) {
      if (output.writes >= 0) continue;
      plain_outputs_.push_back(output.value);
      const Node& node = g_[output.value.node];
      if (is_compaction(node)) continue;
      want(node.is_input() || is_repeated(node) ? count_ - 1 : part_[output.value.node.n],
           output.value);
    }
  }
  void want(size_t p, Value v) {
    std::vector<Value>& list = wanted_of_[p];
    if (std::ranges::find(list, v) == list.end()) list.push_back(v);
  }

  void note_needs(size_t p) {
    for (uint32_t n = 0; n < g_.size(); ++n) {
      const Node& node = g_.nodes()[n];
      if (!is_compaction(node) || first_[n] != p) continue;
      each_operand(node, [&](Value v) {
        if (!g_[v.node].is_input() && !is_compaction(g_[v.node])) want(made_at(v, p), v);
      });
    }
    for (const Value v : read_by(p)) {
      if (!g_[v.node].is_input() && !is_compaction(g_[v.node])) want(part_[v.node.n], v);
    }
  }
  size_t made_at(Value v, size_t p) const { return is_made_in(p, v) ? p : part_[v.node.n]; }

  // The nodes that part p computes for its outputs.
  std::vector<bool> made_by(size_t p) const {
    std::vector<bool> made(g_.size(), false);
    const auto need = [&](Value v) {
      if (is_made_in(p, v)) made[v.node.n] = true;
    };
    for (const Value v : wanted_of_[p]) need(v);
    if (p + 1 == count_) {
      for (const graph::Output& output : g_.outputs()) {
        if (output.writes >= 0) need(output.value);
      }
    }
    for (size_t n = g_.size(); n-- > 0;) {
      if (made[n]) each_operand(g_.nodes()[n], need);
    }
    return made;
  }

  // The values that part p takes as inputs, in order.
  std::vector<Value> read_by(size_t p) const {
    std::vector<Value> out;
    const auto read = [&](Value v) {
      if (!is_made_in(p, v) && std::ranges::find(out, v) == out.end()) out.push_back(v);
    };
    const std::vector<bool> made = made_by(p);
    for (size_t n = 0; n < g_.size(); ++n) {
      if (made[n]) each_operand(g_.nodes()[n], read);
    }
    for (const Value v : wanted_of_[p]) read(v);
    if (p + 1 < count_) return out;
    for (const graph::Output& output : g_.outputs()) {
      if (output.writes < 0) continue;
      read(output.value);
      read({g_.inputs()[static_cast<size_t>(output.writes)], 0});
    }
    return out;
  }

  void make(size_t p) {
    Subgraph& part = out_.parts[p];
    std::map<Value, Value> now;
    const auto mapped = [&](Value v) { return now.at(v); };
    for (const Value v : read_by(p)) add_input(part, v, now);
    const std::vector<bool> made = made_by(p);
    for (uint32_t n = 0; n < g_.size(); ++n) {
      if (!made[n]) continue;
      Node node = g_.nodes()[n];
      for (Arg& arg : node.args) {
        if (auto* value = std::get_if<Value>(&arg)) *value = mapped(*value);
      }
      const auto results = static_cast<uint32_t>(node.results.size());
      const NodeId id = part.graph.add(std::move(node));
      for (uint32_t i = 0; i < results; ++i) now[{NodeId{n}, i}] = {id, i};
    }
    for (const Value v : wanted_of_[p]) {
      part.graph.add_output(mapped(v));
      part.outputs.push_back(slot_of(v));
    }
    if (p + 1 == count_) add_writes(part, now);
    set_symbols(part);
    add_compactions(p);
  }

  void add_input(Subgraph& part, Value v, std::map<Value, Value>& now) {
    const Node& node = g_[v.node];
    TensorMeta meta = g_.meta(v);
    if (!node.is_input()) meta.offset = 0;
    const auto kind = node.is_input() ? node.input : graph::InputKind::argument;
    now[v] = {part.graph.add_input(node.name, std::move(meta), kind, node.location), 0};
    part.inputs.push_back(ref_to(v));
  }

  void add_writes(Subgraph& part, const std::map<Value, Value>& now) {
    for (const graph::Output& output : g_.outputs()) {
      if (output.writes < 0) continue;
      const Value written{g_.inputs()[static_cast<size_t>(output.writes)], 0};
      const auto& inputs = part.graph.inputs();
      const auto at = std::ranges::find(inputs, now.at(written).node) - inputs.begin();
      part.graph.add_output(now.at(output.value), static_cast<int>(at));
    }
  }

  // The graph's symbols, then the data sizes decided before the part.
  void set_symbols(Subgraph& part) {
    std::vector<sym::Expr> symbols = g_.symbols();
    std::vector<int64_t> hints = g_.hints();
    symbols.insert(symbols.end(), decided_.begin(), decided_.end());
    hints.insert(hints.end(), decided_hints_.begin(), decided_hints_.end());
    part.graph.set_symbols(std::move(symbols), std::move(hints));
  }

  void add_compactions(size_t p) {
    for (uint32_t n = 0; n < g_.size(); ++n) {
      const Node& node = g_.nodes()[n];
      if (!is_compaction(node) || first_[n] != p) continue;
      DecidingOp one{NodeId{n}, {}, slot_of({NodeId{n}, 0})};
      each_operand(node, [&](Value v) { one.operands.push_back(ref_to(v)); });
      out_.parts[p].after.push_back(std::move(one));
      decided_.push_back(node.results[0].sizes[0].expr());
      decided_hints_.push_back(node.results[0].sizes[0].hint());
    }
  }

  uint32_t slot_of(Value v) {
    return slots_.try_emplace(v, static_cast<uint32_t>(slots_.size())).first->second;
  }
  ValueRef ref_to(Value v) {
    if (!g_[v.node].is_input()) return {false, slot_of(v)};
    const auto at = std::ranges::find(g_.inputs(), v.node) - g_.inputs().begin();
    return {true, static_cast<uint32_t>(at)};
  }

  void released() {
    std::vector<std::optional<size_t>> last(slots_.size());
    for (size_t p = 0; p < count_; ++p) {
      const auto read = [&](const ValueRef& h) {
        if (!h.input) last[h.slot] = p;
      };
      std::ranges::for_each(out_.parts[p].inputs, read);
      for (const DecidingOp& one : out_.parts[p].after) std::ranges::for_each(one.operands, read);
    }
    for (const uint32_t kept : out_.outputs) last[kept].reset();
    for (uint32_t slot = 0; slot < last.size(); ++slot) {
      if (last[slot]) out_.parts[*last[slot]].released.push_back(slot);
    }
  }

  const Graph& g_;
  Partition out_;
  size_t count_ = 1;
  std::vector<size_t> first_, part_;           // by node
  std::vector<std::vector<Value>> wanted_of_;  // by part: its outputs
  std::vector<Value> plain_outputs_;
  std::map<Value, uint32_t> slots_;
  std::vector<sym::Expr> decided_;
  std::vector<int64_t> decided_hints_;
};

}  // namespace

bool has_data_sizes(const Graph& g) {
  return std::ranges::any_of(g.nodes(), is_compaction);
}

Partition split_at_data(const Graph& g) {
  return Splitter(g).run();
}

}  // namespace vitro::pipeline
