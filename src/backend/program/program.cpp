// Makes items of the nodes of a graph, decides which are computed where they are read, and answers
// who reads what at which index.
#include "backend/program/program.h"

#include <algorithm>

#include "backend/program/element.h"
#include "backend/program/in_place.h"
#include "backend/schedule/fusion.h"
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
                 const MachineModel& machine)
    : graph_(&graph),
      results_(std::move(results)),
      machine_(machine),
      inlined_(graph.size(), false),
      is_output_value_(graph.size(), false) {
  for (const graph::Output& output : graph.outputs()) {
    if (output.writes < 0) is_output_value_[output.value.node.n] = true;
  }
  decide_inlining();
  home_ = homes_of(*this);
  build();
  if (order()) return;
  for (uint32_t n = 0; n < graph.size(); ++n) home_[n] = {n};  // writes would wait for each other
  build();
  VITRO_ASSERT(order(), "items wait for each other");
}

void Program::build() {
  items_.clear();
  made_.clear();
  makers_.assign(graph_->size(), {});
  add_node_items();
  add_output_items();
  connect();
}

// Views always; a cheap node that reads little, where more than one node reads it.
void Program::decide_inlining() {
  const auto users = graph_->users();
  for (uint32_t n = 0; n < graph_->size(); ++n) {
    const graph::NodeId id{n};
    const graph::Node& node = (*graph_)[id];
    if (node.is_input()) continue;
    if (node.op->kind == OpKind::view) inlined_[n] = true;
    if (node.op->kind != OpKind::pointwise || users[n].size() < 2 || is_output_value_[n]) continue;
    int reads = 0;
    bool from_leaves = true;
    for (const graph::Arg& arg : node.args) {
      const auto* value = std::get_if<graph::Value>(&arg);
      if (!value) continue;
      const graph::Node& made = (*graph_)[value->node];
      from_leaves = from_leaves && (made.is_input() || inlined_[value->node.n]);
      ++reads;
    }
    const bool is_stored = std::ranges::any_of(
        users[n], [&](graph::NodeId user) { return (*graph_)[user].op->kind == OpKind::opaque; });
    inlined_[n] =
        !is_stored && from_leaves && is_cheap_for_each_reader(reads, element_cost(*graph_, id));
  }
}

bool Program::is_empty(graph::Value value) const {
  return backend::is_empty(graph_->meta(value));
}

// An item without elements has nothing to do.
void Program::add_item(Item item) {
  const bool nothing =
      std::any_of(item.sizes.begin(), item.sizes.end(), [](Expr size) { return size.is(0); });
  if (nothing) return;
  const ItemId id{static_cast<uint32_t>(items_.size())};
  if (item.role != Role::output && item.role != Role::write) {
    makers_[item.value.node.n].push_back(id);
  }
  made_.push_back({item.value.node});
  items_.push_back(std::move(item));
}

void Program::add_node_items() {
  for (uint32_t n = 0; n < graph_->size(); ++n) {
    const graph::Node& node = (*graph_)[graph::NodeId{n}];
    if (node.is_input() || inlined_[n]) continue;
    require(node.results.size() == 1, node, "more than one result");
    if (node.op->kind == OpKind::opaque && result_of({n}) > 0) {
      add_result({n});
      continue;
    }
    if (backend::is_empty(node.results[0])) continue;
    add_items({.value = {graph::NodeId{n}, 0}, .sizes = sizes_of(node.results[0]), .reduced = {}});
  }
}

// One more result of an opaque call.
void Program::add_result(graph::NodeId node) {
  const std::vector<ItemId>& first = makers_[node.n - result_of(node)];
  require(!first.empty() && !backend::is_empty((*graph_)[node].results[0]), (*graph_)[node],
          "a result without elements beside others");
  makers_[node.n] = first;
  made_[first[0].n].push_back(node);
}

// Those of a node: one, or its parts.  `item` computes its result element by element.
void Program::add_items(Item item) {
  const graph::NodeId id = item.value.node;
  const graph::Node& node = (*graph_)[id];
  if (is_elementwise(node.op->kind)) item.cost = element_cost(*graph_, id);
  if (is_elementwise(node.op->kind) || folds_nothing(*graph_, id)) return add_item(std::move(item));
  switch (node.op->kind) {
    case OpKind::reduction:
    case OpKind::scan:
    case OpKind::sort:
      return add_item(folded_item(std::move(item)));
    case OpKind::contraction:
      item.kind = ItemKind::product;
      return add_item(std::move(item));
    case OpKind::opaque:
      item.kind = ItemKind::opaque;
      return add_item(std::move(item));
    case OpKind::concat:
      return add_slices(std::move(item));
    case OpKind::scatter:
      item.role = Role::base;
      if (home_[id.n] == id) add_item(item);
      return add_item(node.op->put ? put_item(std::move(item)) : inserted_item(std::move(item)));
    default:
      require(false, node, cat("a ", vitro::name_of(node.op->kind), " op"));
  }
}

const TensorMeta& Program::operand_of(const graph::Node& node, size_t i) const {
  return graph_->meta(std::get<graph::Value>(node.args[i]));
}

// What a reduction folds, a scan walks, or a sort puts in order.
Item Program::folded_item(Item item) const {
  const graph::Node& node = (*graph_)[item.value.node];
  const TensorMeta& operand = operand_of(node, 0);
  item.sizes = sizes_of(operand);
  Dims dims;
  if (node.op->scan) {
    item.kind = ItemKind::scan;
    dims.push_back(node.op->scan->dim(node.attrs.view(), operand.rank()));
  } else if (node.op->sort) {
    item.kind = ItemKind::sort;
    dims.push_back(node.op->sort->spec(node.attrs.view(), operand.rank()).dim);
  } else {
    item.kind = ItemKind::reduction;
    dims = node.op->reduction->dims(node.attrs.view(), operand.rank()).dims;
  }
  if (dims.empty()) dims.push_back(operand.rank());  // of one element each
  if (dims.back() == operand.rank()) item.sizes.emplace_back(1);
  item.reduced.assign(item.sizes.size(), false);
  for (const int64_t d : dims) item.reduced[static_cast<size_t>(d)] = true;
  return item;
}

void Program::add_slices(Item item) {
  const graph::Node& node = (*graph_)[item.value.node];
  item.role = Role::slice;
  const auto axis =
      static_cast<size_t>(node.op->concat->axis(node.attrs.view(), node.results[0].rank()));
  for (size_t i = 0; i < node.args.size(); ++i) {
    if (backend::is_empty(operand_of(node, i))) continue;  // which may have no such axis
    item.part = static_cast<int>(i);
    item.sizes = sizes_of(operand_of(node, i));
    add_item(item);
    item.offset = item.offset + item.sizes[axis];
  }
}

Item Program::inserted_item(Item item) const {
  item.role = Role::insert;
  item.part = 1;
  item.sizes = sizes_of(operand_of((*graph_)[item.value.node], 1));
  return item;
}

namespace {

PutSpec put_spec(const graph::Graph& g, const graph::Node& node) {
  return node.op->put->spec(node.attrs.view(), ranks_of(g, node));
}

// Of what a put takes from its source, which is broadcast to them.
Sizes put_sizes(const graph::Graph& g, const graph::Node& node, const PutSpec& spec) {
  std::vector<Argument> operands;
  for (const graph::Arg& arg : node.args) {
    const auto* value = std::get_if<graph::Value>(&arg);
    operands.push_back({.meta = value ? &g.meta(*value) : nullptr});
  }
  const TensorMeta& x = *operands[0].meta;
  if (spec.same_rank) return operands[static_cast<size_t>(spec.picked[0].indices)].meta->sizes;
  if (x.rank() == 0) return {};
  return ops::picked_sizes(node.op->name, x.sizes, spec.picked, spec.first, operands);
}

}  // namespace

// The elements that a scatter by indices takes from its source, in the order of the indices'
// dimensions; where these have none there is one of size 1.
Item Program::put_item(Item item) const {
  const graph::Node& node = (*graph_)[item.value.node];
  const PutSpec spec = put_spec(*graph_, node);
  const auto rank = static_cast<size_t>(node.results[0].rank());
  const auto first = static_cast<size_t>(spec.same_rank ? spec.picked[0].axis : spec.first);
  item.kind = ItemKind::put;
  item.role = Role::put;
  item.part = spec.source;
  item.sizes.clear();
  for (const Size size : put_sizes(*graph_, node, spec)) item.sizes.push_back(size.expr());
  size_t together = spec.same_rank ? rank != 0 : item.sizes.size() + spec.picked.size() - rank;
  if (item.sizes.empty() || together == 0) {
    item.sizes.insert(item.sizes.begin() + static_cast<std::ptrdiff_t>(first), Expr(1));
    together = 1;
  }
  item.reduced.assign(item.sizes.size(), false);
  for (size_t d = 0; d < together; ++d) item.reduced[first + d] = true;
  return item;
}

PutReads Program::put_reads(ItemId id, const Index& at) const {
  const graph::Node& node = (*graph_)[(*this)[id].value.node];
  const PutSpec spec = put_spec(*graph_, node);
  const auto value_of = [&](int i) {
    return std::get<graph::Value>(node.args[static_cast<size_t>(i)]);
  };
  const auto rank = static_cast<size_t>(node.results[0].rank());
  PutReads out{{value_of(spec.source), {}}, {}, {}};
  if (spec.same_rank || rank == 0) {
    const graph::Value indices = value_of(spec.picked[0].indices);
    const Index own(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(rank));
    out.source.index = out.others = own;
    out.indices.push_back({indices, own});
    out.indices[0].index.resize(static_cast<size_t>(graph_->meta(indices).rank()), Expr(0));
    if (rank != 0)
      out.others.erase(out.others.begin() + static_cast<std::ptrdiff_t>(spec.picked[0].axis));
    return out;
  }
  const auto from = at.begin() + spec.first,
             to = at.end() - static_cast<std::ptrdiff_t>(rank - spec.picked.size()) + spec.first;
  out.others.assign(at.begin(), from);
  out.others.insert(out.others.end(), to, at.end());
  TensorMeta whole, broadcast;
  whole.sizes = put_sizes(*graph_, node, spec);
  const bool has_dimensions = whole.sizes.size() == at.size();
  for (size_t d = 0; has_dimensions && d < static_cast<size_t>(to - from); ++d)
    broadcast.sizes.push_back(whole.sizes[static_cast<size_t>(spec.first) + d]);
  for (const Picked& one : spec.picked) {
    const graph::Value indices = value_of(one.indices);
    out.indices.push_back(
        {indices, broadcast_index(graph_->meta(indices), broadcast, Index(from, to))});
  }
  const TensorMeta& source = graph_->meta(out.source.value);
  const bool one_more = !has_dimensions && source.sizes.size() < at.size();
  out.source.index = broadcast_index(source, whole, one_more ? out.others : at);
  return out;
}

void Program::add_output_items() {
  for (size_t i = 0; i < graph_->outputs().size(); ++i) {
    const graph::Output& output = graph_->outputs()[i];
    const graph::Node& node = (*graph_)[output.value.node];
    const bool writes = output.writes >= 0;
    if (!writes && !node.is_input() && !inlined_[output.value.node.n]) continue;
    if (writes && home_[output.value.node.n] != output.value.node) continue;  // it lies there
    add_item({.value = output.value,
              .role = writes ? Role::write : Role::output,
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

bool Program::overwrites(ItemId id) const {
  const Item& item = (*this)[id];
  return item.role == Role::write ||
         (item.role == Role::insert && home_[item.value.node.n] != item.value.node);
}

Index Program::written_at(ItemId id, const Index& at) const {
  const Item& item = (*this)[id];
  return item.role == Role::insert ? inserted_at(*graph_, item.value.node, at) : at;
}

Read Program::behind_views(Read read) const {
  const auto is_view = [&](graph::NodeId id) {
    return !(*graph_)[id].is_input() && (*graph_)[id].op->kind == OpKind::view;
  };
  while (is_view(read.value.node)) {
    read = operands_at(*graph_, read.value.node, read.index, Expr())[0];
  }
  return read;
}

Index Program::operand_index(ItemId id, const Index& index) const {
  const graph::Node& node = (*graph_)[(*this)[id].value.node];
  const auto rank = static_cast<size_t>(graph_->meta(std::get<graph::Value>(node.args[0])).rank());
  return Index(index.begin(), index.begin() + static_cast<std::ptrdiff_t>(rank));
}

std::vector<Read> Program::reads_at(ItemId id, const Index& index) const {
  static const Expr picked = Expr::symbol("picked", {0, sym::unbounded});
  const Item& item = (*this)[id];
  const graph::Node& node = (*graph_)[item.value.node];
  std::vector<Read> direct, out;
  if (item.role == Role::output || item.role == Role::write) {
    direct.push_back({item.value, index});
  } else if (item.role != Role::result) {
    if (item.role == Role::put) {
      PutReads reads = put_reads(id, index);
      direct = std::move(reads.indices);
      direct.insert(direct.begin(), std::move(reads.source));
    } else {
      direct.push_back({std::get<graph::Value>(node.args[static_cast<size_t>(item.part)]), index});
    }
  } else if (folds_nothing(*graph_, item.value.node)) {
    return out;
  } else if (item.kind == ItemKind::elementwise) {
    direct = operands_at(*graph_, item.value.node, index, picked);
  } else if (item.kind == ItemKind::reduction || item.kind == ItemKind::scan ||
             item.kind == ItemKind::sort) {
    direct.push_back({std::get<graph::Value>(node.args[0]), operand_index(id, index)});
  } else {
    for (const graph::Arg& arg : node.args) {
      const auto* value = std::get_if<graph::Value>(&arg);
      if (!value) continue;
      Index any;  // an index that no element of the result has
      for (int d = 0; d < graph_->meta(*value).rank(); ++d) any.push_back(picked + d);
      direct.push_back({*value, std::move(any)});
    }
  }
  for (const Read& read : direct) resolve(read, out);
  return out;
}

// Who needs whom: by reading, by overwriting (a scatter's second item, a written input).
void Program::connect() {
  needs_.assign(items_.size(), {});
  readers_.assign(items_.size(), {});
  sources_.assign(items_.size(), {});
  output_.assign(items_.size(), false);
  node_readers_.assign(graph_->size(), {});
  for (uint32_t i = 0; i < items_.size(); ++i) {
    const ItemId id{i};
    const Item& item = items_[i];
    output_[i] =
        item.role == Role::output || item.role == Role::write ||
        std::ranges::any_of(made_by(id), [&](graph::NodeId n) { return is_output_value(n); });
    const Index index(item.sizes.size(), Expr(0));
    for (const Read& read : reads_at(id, index)) {
      add_once(sources_[i], read.value.node);
      add_once(node_readers_[read.value.node.n], id);
      for (const ItemId made : makers_[read.value.node.n]) {
        need(id, made);
        add_once(readers_[made.n], id);
      }
    }
    if (item.role == Role::put || (item.role == Role::insert && !overwrites(id)))
      need(id, ItemId{i - 1});
  }
  for (uint32_t i = 0; i < items_.size(); ++i) need_what_is_overwritten(ItemId{i});
}

void Program::need(ItemId reader, ItemId made) {
  if (made != reader) add_once(needs_[reader.n], made);
}

// Who changes an input waits for those that read it as it was, and for the write before.
void Program::need_what_is_overwritten(ItemId id) {
  const Item& item = (*this)[id];
  if (!overwrites(id)) return;
  if (item.role == Role::write) {
    const int to = graph_->outputs()[static_cast<size_t>(item.part)].writes;
    const graph::NodeId input = graph_->inputs()[static_cast<size_t>(to)];
    for (const ItemId reader : node_readers_[input.n]) need(id, reader);
    return;
  }
  graph::NodeId before = item.value.node;
  do {
    before = std::get<graph::Value>((*graph_)[before].args[0]).node;
    for (const ItemId reader : node_readers_[before.n]) need(id, reader);
    for (const ItemId maker : makers_[before.n]) need(id, maker);
  } while (before != home_[item.value.node.n]);
}

// Gives every item its position; false where some wait for each other.
bool Program::order() {
  enum class State : uint8_t { unseen, open, done };
  std::vector<State> states(items_.size(), State::unseen);
  position_.assign(items_.size(), static_cast<uint32_t>(items_.size()));
  uint32_t next = 0;
  const auto visit = [&](const auto& self, ItemId id) -> bool {
    if (states[id.n] != State::unseen) return states[id.n] == State::done;
    states[id.n] = State::open;
    for (const ItemId needed : needs_[id.n]) {
      if ((*this)[needed].role != Role::write && !self(self, needed)) return false;
    }
    states[id.n] = State::done;
    position_[id.n] = next++;
    return true;
  };
  for (uint32_t i = 0; i < items_.size(); ++i) {
    if (items_[i].role != Role::write && !visit(visit, ItemId{i})) return false;
  }
  return true;
}

std::string Program::name_of(ItemId id) const {
  const Item& item = (*this)[id];
  const std::string& name = (*graph_)[item.value.node].name;
  switch (item.role) {
    case Role::result:
    case Role::base:
      return name;
    case Role::slice:
      return cat(name, " (slice ", item.part, ")");
    case Role::insert:
      return cat(name, overwrites(id) ? " (in place)" : " (insert)");
    case Role::put:
      return cat(name, " (put)");
    case Role::output:
      return cat(name, " (copy)");
    case Role::write:
      return cat(name, " (write back)");
  }
  return name;
}

}  // namespace vitro::backend
