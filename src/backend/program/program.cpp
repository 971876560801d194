// Builds the compute nodes of a graph, decides which nodes are inlined, and computes reads,
// dependencies and a topological order.
#include "backend/program/program.h"

#include <algorithm>

#include "backend/program/element.h"
#include "backend/program/in_place.h"
#include "backend/program/layout.h"
#include "backend/schedule/fusion.h"
#include "core/over_positions.h"
#include "vitro/base/error.h"
#include "vitro/ops/gather.h"

namespace vitro::backend {
namespace {

bool is_elementwise(OpKind kind) {
  return kind == OpKind::pointwise || kind == OpKind::gather || kind == OpKind::window;
}

void require(bool can, const graph::Node& node, std::string_view what) {
  VITRO_CHECK(can, node.op->name, ": ", what, ", which the compiler does not lower yet");
}

template <class Id>
void add_once(std::vector<Id>& list, Id id) {
  if (std::find(list.begin(), list.end(), id) == list.end()) list.push_back(id);
}

}  // namespace

Program::Program(const graph::Graph& graph, std::vector<uint32_t> results,
                 const MachineModel& machine, bool exact)
    : graph_(&graph),
      results_(std::move(results)),
      machine_(machine),
      exact_(exact),
      inlined_(graph.size(), false),
      is_output_value_(graph.size(), false) {
  for (const graph::Output& output : graph.outputs()) {
    if (output.writes < 0) is_output_value_[output.value.node.n] = true;
  }
  decide_inlining();
  alias_target_ = alias_targets_of(*this);
  build();
  if (!order()) {
    for (uint32_t n = 0; n < graph.size(); ++n)
      alias_target_[n] = {n};  // in-place writes form a cycle: copy instead
    build();
    VITRO_ASSERT(order(), "compute nodes form a cycle");
  }
  memory_orders_ = memory_orders(*this);
}

void Program::build() {
  compute_nodes_.clear();
  made_.clear();
  makers_.assign(graph_->size(), {});
  add_graph_nodes();
  add_output_copies();
  connect();
}

// Inlines all views, and cheap nodes with few reads and several readers: of inputs, and, if only
// loops read the node, of what a reduction reads, too (the differences from a mean, as of a norm).
void Program::decide_inlining() {
  const auto users = graph_->users();
  const auto is_kind = [&](graph::NodeId id, OpKind kind) {
    return !(*graph_)[id].is_input() && (*graph_)[id].op->kind == kind;
  };
  const auto is_reduced = [&](graph::NodeId id) {
    return std::ranges::any_of(
        users[id.n], [&](graph::NodeId user) { return is_kind(user, OpKind::reduction); });
  };
  for (uint32_t n = 0; n < graph_->size(); ++n) {
    const graph::NodeId id{n};
    const graph::Node& node = (*graph_)[id];
    if (node.is_input()) continue;
    if (node.op->kind == OpKind::view || is_joined_again(id, users[n]) || is_packed(id, users))
      inlined_[n] = true;
    if (node.op->kind != OpKind::pointwise || users[n].size() < 2 || is_output_value_[n]) continue;
    int reads = 0;
    bool from_leaves = true;
    const bool in_loops = std::ranges::all_of(users[n], [&](graph::NodeId user) {
      return is_kind(user, OpKind::pointwise) || is_kind(user, OpKind::reduction);
    });
    const bool of_reduced =
        in_loops && std::ranges::any_of(node.args, [&](const graph::Arg& arg) {
          const auto* value = std::get_if<graph::Value>(&arg);
          return value && !is_kind(value->node, OpKind::reduction) && is_reduced(value->node);
        });
    for (const graph::Arg& arg : node.args) {
      const auto* value = std::get_if<graph::Value>(&arg);
      if (!value) continue;
      const graph::Node& made = (*graph_)[value->node];
      const bool is_reduction = is_kind(value->node, OpKind::reduction);
      const bool is_there = made.is_input() || inlined_[value->node.n] ||
                            (of_reduced && (is_reduction || is_reduced(value->node)));
      from_leaves = from_leaves && is_there;
      reads += of_reduced && is_reduction ? 0 : 1;
    }
    const bool is_stored = std::ranges::any_of(
        users[n], [&](graph::NodeId user) { return (*graph_)[user].op->kind == OpKind::opaque; });
    inlined_[n] =
        !is_stored && from_leaves && is_cheap_for_each_reader(reads, element_cost(*graph_, id));
  }
}

// Whether the node is a cat that only a cat of the same dtype reads.
bool Program::is_joined_again(graph::NodeId id, std::span<const graph::NodeId> users) const {
  const graph::Node& node = (*graph_)[id];
  if (node.op->kind != OpKind::concat || users.size() != 1) return false;
  const auto is_it = [&](const graph::Output& output) { return output.value.node == id; };
  const graph::Node& user = (*graph_)[users[0]];
  return user.op->kind == OpKind::concat && user.results[0].dtype == node.results[0].dtype &&
         std::ranges::none_of(graph_->outputs(), is_it);
}

// Whether the node moves elements, and only convolutions read it, as weights: packing reads them
// where they are.
bool Program::is_packed(graph::NodeId id,
                        const std::vector<std::vector<graph::NodeId>>& users) const {
  const graph::Node& node = (*graph_)[id];
  if (node.op->kind != OpKind::window || node.results.size() != 1) return false;
  const WindowInfo& window = *node.op->window;
  if (window.leaves || window.count || window.taps(node.attrs.view()) != 1) return false;
  std::vector<graph::Value> left{{id, 0}};
  while (!left.empty()) {
    const graph::Value value = left.back();
    left.pop_back();
    if (is_output_value_[value.node.n] || users[value.node.n].empty()) return false;
    for (const graph::NodeId user : users[value.node.n]) {
      const graph::Node& reader = (*graph_)[user];
      if (reader.op->kind == OpKind::view) {
        left.push_back({user, 0});
        continue;
      }
      if (reader.op->kind != OpKind::contraction || !reader.op->contraction->windows ||
          sums_positions(*reader.op->contraction) ||
          std::get<graph::Value>(reader.args[0]) == value)
        return false;
    }
  }
  return true;
}

Index Program::strides_of(graph::NodeId node) const {
  const TensorMeta& meta = (*graph_)[node].results[0];
  if (!memory_orders_[node.n].empty())
    return strides_in_order(sizes_of(meta), memory_orders_[node.n]);
  if (!(*graph_)[node].is_input()) return strides_of_new(meta);
  Index strides;
  for (const Size stride : meta.strides) strides.push_back(stride.expr());
  return strides;
}

bool Program::is_empty(graph::Value value) const {
  return backend::is_empty(graph_->meta(value));
}

// Skips compute nodes without elements.
void Program::add_compute_node(ComputeNode compute_node) {
  const bool nothing = std::any_of(compute_node.sizes.begin(), compute_node.sizes.end(),
                                   [](Expr size) { return size.is(0); });
  if (nothing) return;
  const ComputeNodeId id{static_cast<uint32_t>(compute_nodes_.size())};
  if (compute_node.role != ComputeRole::output && compute_node.role != ComputeRole::write) {
    makers_[compute_node.value.node.n].push_back(id);
  }
  made_.push_back({compute_node.value.node});
  compute_nodes_.push_back(std::move(compute_node));
}

void Program::add_graph_nodes() {
  for (uint32_t n = 0; n < graph_->size(); ++n) {
    const graph::Node& node = (*graph_)[graph::NodeId{n}];
    if (node.is_input() || inlined_[n]) continue;
    require(node.results.size() == 1, node, "more than one result");
    if (node.op->kind == OpKind::opaque) {
      if (result_of({n}) == 0) add_opaque_call({n});
      continue;
    }
    if (backend::is_empty(node.results[0])) continue;
    add_compute_nodes(
        {.value = {graph::NodeId{n}, 0}, .sizes = sizes_of(node.results[0]), .reduced = {}});
  }
}

// Adds the compute node of an opaque call, unless all of its results are empty.  `first`: the node
// of its first result; those of the others follow.
void Program::add_opaque_call(graph::NodeId first) {
  std::vector<graph::NodeId> results{first};
  for (uint32_t n = first.n + 1; n < graph_->size(); ++n) {
    if ((*graph_)[graph::NodeId{n}].op != (*graph_)[first].op || result_of({n}) != results.size())
      break;
    results.push_back({n});
  }
  const auto stored = std::ranges::find_if_not(
      results, [&](graph::NodeId n) { return is_empty(graph::Value{n, 0}); });
  if (stored == results.end()) return;
  add_compute_node({.value = {first, 0},
                    .kind = ComputeKind::opaque,
                    .sizes = sizes_of((*graph_)[*stored].results[0]),
                    .reduced = {}});
  for (const graph::NodeId n : results) makers_[n.n] = makers_[first.n];
  made_.back() = std::move(results);
}

// Adds the compute nodes of a graph node: one, or one for each part.  `compute_node`: a template
// that computes the result element by element.
void Program::add_compute_nodes(ComputeNode compute_node) {
  const graph::NodeId id = compute_node.value.node;
  const graph::Node& node = (*graph_)[id];
  if (is_elementwise(node.op->kind)) compute_node.cost = element_cost(*graph_, id);
  if (is_elementwise(node.op->kind) || reduces_nothing(*graph_, id))
    return add_compute_node(std::move(compute_node));
  switch (node.op->kind) {
    case OpKind::reduction:
    case OpKind::scan:
    case OpKind::sort:
      return add_compute_node(reduction_node(std::move(compute_node)));
    case OpKind::contraction:
      compute_node.kind = ComputeKind::product;
      return add_compute_node(std::move(compute_node));
    case OpKind::concat:
      compute_node.role = ComputeRole::slice;
      compute_node.offset.assign(compute_node.sizes.size(), Expr(0));
      return add_slices(std::move(compute_node), id);
    case OpKind::scatter:
      compute_node.role = ComputeRole::base;
      if (alias_target_[id.n] == id) add_compute_node(compute_node);
      return add_compute_node(node.op->put ? put_node(std::move(compute_node))
                                           : insert_node(std::move(compute_node)));
    default:
      require(false, node, cat("a ", vitro::name_of(node.op->kind), " op"));
  }
}

const TensorMeta& Program::operand_of(const graph::Node& node, size_t i) const {
  return graph_->meta(std::get<graph::Value>(node.args[i]));
}

// The compute node of a reduction, scan or sort; its sizes are those of the operand.
ComputeNode Program::reduction_node(ComputeNode compute_node) const {
  const graph::Node& node = (*graph_)[compute_node.value.node];
  const TensorMeta& operand = operand_of(node, 0);
  compute_node.sizes = sizes_of(operand);
  Dims dims;
  if (node.op->scan) {
    compute_node.kind = ComputeKind::scan;
    dims.push_back(node.op->scan->dim(node.attrs.view(), operand.rank()));
  } else if (node.op->sort) {
    compute_node.kind = ComputeKind::sort;
    dims.push_back(node.op->sort->spec(node.attrs.view(), operand.rank()).dim);
  } else {
    compute_node.kind = ComputeKind::reduction;
    dims = node.op->reduction->dims(node.attrs.view(), operand.rank()).dims;
  }
  if (dims.empty()) dims.push_back(operand.rank());  // a reduction of single elements
  if (dims.back() == operand.rank()) compute_node.sizes.emplace_back(1);
  compute_node.reduced.assign(compute_node.sizes.size(), false);
  for (const int64_t d : dims) compute_node.reduced[static_cast<size_t>(d)] = true;
  return compute_node;
}

// `slice`: a template of the slices, with the offset of the result of `cat`.
void Program::add_slices(ComputeNode slice, graph::NodeId cat) {
  const graph::Node& node = (*graph_)[cat];
  const auto axis =
      static_cast<size_t>(node.op->concat->axis(node.attrs.view(), node.results[0].rank()));
  for (size_t i = 0; i < node.args.size(); ++i) {
    if (backend::is_empty(operand_of(node, i))) continue;  // it may have no such axis
    slice.copied = std::get<graph::Value>(node.args[i]);
    slice.sizes = sizes_of(operand_of(node, i));
    const graph::Node& operand = (*graph_)[slice.copied.node];
    if (!operand.is_input() && operand.op->kind == OpKind::concat &&
        is_inlined(slice.copied.node)) {
      add_slices(slice, slice.copied.node);
    } else {
      slice.part = static_cast<int>(makers_[slice.value.node.n].size());
      add_compute_node(slice);
    }
    slice.offset[axis] = slice.offset[axis] + slice.sizes[axis];
  }
}

ComputeNode Program::insert_node(ComputeNode compute_node) const {
  compute_node.role = ComputeRole::insert;
  compute_node.part = 1;
  compute_node.sizes = sizes_of(operand_of((*graph_)[compute_node.value.node], 1));
  return compute_node;
}

namespace {

PutSpec put_spec(const graph::Graph& g, const graph::Node& node) {
  return node.op->put->spec(node.attrs.view(), ranks_of(g, node));
}

// The sizes that a put broadcasts its source to.
Sizes put_sizes(const graph::Graph& g, const graph::Node& node, const PutSpec& spec) {
  std::vector<Argument> operands;
  for (const graph::Arg& arg : node.args) {
    const auto* value = std::get_if<graph::Value>(&arg);
    operands.push_back({.meta = value ? &g.meta(*value) : nullptr});
  }
  const TensorMeta& x = *operands[0].meta;
  if (spec.same_rank) return operands[static_cast<size_t>(spec.indexed[0].indices)].meta->sizes;
  if (x.rank() == 0) return {};
  return ops::indexed_sizes(node.op->name, x.sizes, spec.indexed, spec.first, operands);
}

}  // namespace

// The compute node of a scatter by indices: iterates over the elements of its source, in order of
// the indices' dimensions; if these have none, adds one of size 1.
ComputeNode Program::put_node(ComputeNode compute_node) const {
  const graph::Node& node = (*graph_)[compute_node.value.node];
  const PutSpec spec = put_spec(*graph_, node);
  const auto rank = static_cast<size_t>(node.results[0].rank());
  const auto first = static_cast<size_t>(spec.same_rank ? spec.indexed[0].axis : spec.first);
  compute_node.kind = ComputeKind::put;
  compute_node.role = ComputeRole::put;
  compute_node.part = spec.source;
  compute_node.sizes.clear();
  for (const Size size : put_sizes(*graph_, node, spec)) compute_node.sizes.push_back(size.expr());
  size_t together =
      spec.same_rank ? rank != 0 : compute_node.sizes.size() + spec.indexed.size() - rank;
  if (compute_node.sizes.empty() || together == 0) {
    compute_node.sizes.insert(compute_node.sizes.begin() + static_cast<std::ptrdiff_t>(first),
                              Expr(1));
    together = 1;
  }
  compute_node.reduced.assign(compute_node.sizes.size(), false);
  for (size_t d = 0; d < together; ++d) compute_node.reduced[first + d] = true;
  return compute_node;
}

PutReads Program::put_reads(ComputeNodeId id, const Index& at) const {
  const graph::Node& node = (*graph_)[(*this)[id].value.node];
  const PutSpec spec = put_spec(*graph_, node);
  const auto value_of = [&](int i) {
    return std::get<graph::Value>(node.args[static_cast<size_t>(i)]);
  };
  const auto rank = static_cast<size_t>(node.results[0].rank());
  PutReads out{{value_of(spec.source), {}}, {}, {}};
  if (spec.same_rank || rank == 0) {
    const graph::Value indices = value_of(spec.indexed[0].indices);
    const Index own(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(rank));
    out.source.index = out.others = own;
    out.indices.push_back({indices, own});
    out.indices[0].index.resize(static_cast<size_t>(graph_->meta(indices).rank()), Expr(0));
    if (rank != 0)
      out.others.erase(out.others.begin() + static_cast<std::ptrdiff_t>(spec.indexed[0].axis));
    return out;
  }
  const auto from = at.begin() + spec.first,
             to = at.end() - static_cast<std::ptrdiff_t>(rank - spec.indexed.size()) + spec.first;
  out.others.assign(at.begin(), from);
  out.others.insert(out.others.end(), to, at.end());
  TensorMeta broadcast_to, index_shape;
  broadcast_to.sizes = put_sizes(*graph_, node, spec);
  const bool has_dimensions = broadcast_to.sizes.size() == at.size();
  for (size_t d = 0; has_dimensions && d < static_cast<size_t>(to - from); ++d)
    index_shape.sizes.push_back(broadcast_to.sizes[static_cast<size_t>(spec.first) + d]);
  for (const IndexedAxis& one : spec.indexed) {
    const graph::Value indices = value_of(one.indices);
    out.indices.push_back(
        {indices, broadcast_index(graph_->meta(indices), index_shape, Index(from, to))});
  }
  const TensorMeta& source = graph_->meta(out.source.value);
  const bool one_more = !has_dimensions && source.sizes.size() < at.size();
  out.source.index = broadcast_index(source, broadcast_to, one_more ? out.others : at);
  return out;
}

// Whether the value is a view of the input that shows each element where it lies.
bool Program::shows(graph::Value value, graph::NodeId input) const {
  const TensorMeta &shown = graph_->meta(value), &there = (*graph_)[input].results[0];
  const auto equal = [](Size a, Size b) { return known_equal(a, b); };
  const bool same = shown.dtype == there.dtype && equal(shown.offset, there.offset) &&
                    std::ranges::equal(shown.sizes, there.sizes, equal) &&
                    std::ranges::equal(shown.strides, there.strides, equal);
  graph::NodeId at = value.node;
  while (same && !(*graph_)[at].is_input() && (*graph_)[at].op->kind == OpKind::view)
    at = std::get<graph::Value>((*graph_)[at].args[0]).node;
  return same && at == input;
}

void Program::add_output_copies() {
  for (size_t i = 0; i < graph_->outputs().size(); ++i) {
    const graph::Output& output = graph_->outputs()[i];
    const graph::Node& node = (*graph_)[output.value.node];
    const bool writes = output.writes >= 0;
    if (!writes && !node.is_input() && !inlined_[output.value.node.n]) continue;
    if (writes && alias_target_[output.value.node.n] != output.value.node)
      continue;  // written in place
    if (writes && shows(output.value, graph_->inputs()[static_cast<size_t>(output.writes)]))
      continue;  // is there already
    add_compute_node({.value = output.value,
                      .role = writes ? ComputeRole::write : ComputeRole::output,
                      .part = static_cast<int>(i),
                      .sizes = sizes_of(graph_->meta(output.value)),
                      .reduced = {}});
  }
}

void Program::resolve(const Read& read, std::vector<Read>& out) const {
  const graph::NodeId id = read.value.node;
  if ((*graph_)[id].is_input() || !inlined_[id.n]) {
    out.push_back(read);
    return;
  }
  for (const Read& deeper : operands_at(*graph_, id, read.index, Expr())) resolve(deeper, out);
}

bool Program::overwrites(ComputeNodeId id) const {
  const ComputeNode& compute_node = (*this)[id];
  return compute_node.role == ComputeRole::write ||
         ((compute_node.role == ComputeRole::insert || compute_node.role == ComputeRole::put) &&
          alias_target_[compute_node.value.node.n] != compute_node.value.node);
}

Index Program::written_at(ComputeNodeId id, const Index& at) const {
  const ComputeNode& compute_node = (*this)[id];
  return compute_node.role == ComputeRole::insert
             ? inserted_at(*graph_, compute_node.value.node, at)
             : at;
}

graph::Value Program::copied_by(ComputeNodeId id) const {
  const ComputeNode& compute_node = (*this)[id];
  if (compute_node.role == ComputeRole::slice) return compute_node.copied;
  const graph::Node& node = (*graph_)[compute_node.value.node];
  return std::get<graph::Value>(node.args[static_cast<size_t>(compute_node.part)]);
}

Read Program::through_views(Read read) const {
  const auto is_view = [&](graph::NodeId id) {
    return !(*graph_)[id].is_input() && (*graph_)[id].op->kind == OpKind::view;
  };
  while (is_view(read.value.node)) {
    read = operands_at(*graph_, read.value.node, read.index, Expr())[0];
  }
  return read;
}

Index Program::operand_index(ComputeNodeId id, const Index& index) const {
  const graph::Node& node = (*graph_)[(*this)[id].value.node];
  const auto rank = static_cast<size_t>(graph_->meta(std::get<graph::Value>(node.args[0])).rank());
  return Index(index.begin(), index.begin() + static_cast<std::ptrdiff_t>(rank));
}

std::vector<Read> Program::reads_at(ComputeNodeId id, const Index& index) const {
  static const Expr indirect = Expr::symbol("indirect", {0, sym::unbounded});
  const ComputeNode& compute_node = (*this)[id];
  const graph::Node& node = (*graph_)[compute_node.value.node];
  std::vector<Read> direct, out;
  if (compute_node.role == ComputeRole::output || compute_node.role == ComputeRole::write) {
    direct.push_back({compute_node.value, index});
  } else if (compute_node.role != ComputeRole::result) {
    if (compute_node.role == ComputeRole::put) {
      PutReads reads = put_reads(id, index);
      direct = std::move(reads.indices);
      direct.insert(direct.begin(), std::move(reads.source));
    } else {
      direct.push_back({copied_by(id), index});
    }
  } else if (reduces_nothing(*graph_, compute_node.value.node)) {
    return out;
  } else if (compute_node.kind == ComputeKind::elementwise) {
    direct = operands_at(*graph_, compute_node.value.node, index, indirect);
  } else if (compute_node.kind == ComputeKind::reduction ||
             compute_node.kind == ComputeKind::scan || compute_node.kind == ComputeKind::sort) {
    direct.push_back({std::get<graph::Value>(node.args[0]), operand_index(id, index)});
  } else {
    for (const graph::Arg& arg : node.args) {
      const auto* value = std::get_if<graph::Value>(&arg);
      if (!value) continue;
      Index any;  // unrelated to the index of the result
      for (int d = 0; d < graph_->meta(*value).rank(); ++d) any.push_back(indirect + d);
      direct.push_back({*value, std::move(any)});
    }
  }
  for (const Read& read : direct) resolve(read, out);
  return out;
}

// Computes dependencies: by reads, and by writes (the second compute node of a scatter, a write to
// an input).
void Program::connect() {
  needs_.assign(compute_nodes_.size(), {});
  readers_.assign(compute_nodes_.size(), {});
  sources_.assign(compute_nodes_.size(), {});
  output_.assign(compute_nodes_.size(), false);
  node_readers_.assign(graph_->size(), {});
  for (uint32_t i = 0; i < compute_nodes_.size(); ++i) {
    const ComputeNodeId id{i};
    const ComputeNode& compute_node = compute_nodes_[i];
    output_[i] =
        compute_node.role == ComputeRole::output || compute_node.role == ComputeRole::write ||
        std::ranges::any_of(made_by(id), [&](graph::NodeId n) { return is_output_value(n); });
    const Index index(compute_node.sizes.size(), Expr(0));
    for (const Read& read : reads_at(id, index)) {
      add_once(sources_[i], read.value.node);
      add_once(node_readers_[read.value.node.n], id);
      for (const ComputeNodeId made : makers_[read.value.node.n]) {
        need(id, made);
        add_once(readers_[made.n], id);
      }
    }
    const bool is_second =
        compute_node.role == ComputeRole::put || compute_node.role == ComputeRole::insert;
    if (is_second && !overwrites(id)) need(id, ComputeNodeId{i - 1});
  }
  for (uint32_t i = 0; i < compute_nodes_.size(); ++i) need_what_is_overwritten(ComputeNodeId{i});
}

void Program::need(ComputeNodeId reader, ComputeNodeId made) {
  if (made != reader) add_once(needs_[reader.n], made);
}

// A write to an input depends on the readers of its previous state and on the previous write.
void Program::need_what_is_overwritten(ComputeNodeId id) {
  const ComputeNode& compute_node = (*this)[id];
  if (!overwrites(id)) return;
  if (compute_node.role == ComputeRole::write) {
    const int to = graph_->outputs()[static_cast<size_t>(compute_node.part)].writes;
    const graph::NodeId input = graph_->inputs()[static_cast<size_t>(to)];
    for (const ComputeNodeId reader : node_readers_[input.n]) need(id, reader);
    return;
  }
  graph::NodeId before = compute_node.value.node;
  do {
    before = std::get<graph::Value>((*graph_)[before].args[0]).node;
    for (const ComputeNodeId reader : node_readers_[before.n]) need(id, reader);
    for (const ComputeNodeId maker : makers_[before.n]) need(id, maker);
  } while (before != alias_target_[compute_node.value.node.n]);
}

// Computes the positions; false if there is a cycle.
bool Program::order() {
  enum class State : uint8_t { unseen, open, done };
  std::vector<State> states(compute_nodes_.size(), State::unseen);
  position_.assign(compute_nodes_.size(), static_cast<uint32_t>(compute_nodes_.size()));
  uint32_t next = 0;
  const auto visit = [&](const auto& self, ComputeNodeId id) -> bool {
    if (states[id.n] != State::unseen) return states[id.n] == State::done;
    states[id.n] = State::open;
    for (const ComputeNodeId needed : needs_[id.n]) {
      if ((*this)[needed].role != ComputeRole::write && !self(self, needed)) return false;
    }
    states[id.n] = State::done;
    position_[id.n] = next++;
    return true;
  };
  for (uint32_t i = 0; i < compute_nodes_.size(); ++i) {
    if (compute_nodes_[i].role != ComputeRole::write && !visit(visit, ComputeNodeId{i}))
      return false;
  }
  return true;
}

std::string Program::name_of(ComputeNodeId id) const {
  const ComputeNode& compute_node = (*this)[id];
  const std::string& name = (*graph_)[compute_node.value.node].name;
  switch (compute_node.role) {
    case ComputeRole::result:
    case ComputeRole::base:
      return name;
    case ComputeRole::slice:
      return cat(name, " (slice ", compute_node.part, ")");
    case ComputeRole::insert:
      return cat(name, overwrites(id) ? " (in place)" : " (insert)");
    case ComputeRole::put:
      return cat(name, overwrites(id) ? " (put in place)" : " (put)");
    case ComputeRole::output:
      return cat(name, " (copy)");
    case ComputeRole::write:
      return cat(name, " (write back)");
  }
  return name;
}

}  // namespace vitro::backend
