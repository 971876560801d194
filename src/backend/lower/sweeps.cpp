// The states of reductions in a kernel: lanes, trees of blocks, and the order in which they merge
// (vitro/ops/reduce.h), as loops.
#include "backend/lower/sweeps.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "vitro/base/error.h"
#include "vitro/ops/reduce.h"

namespace vitro::backend {

using loop::Value;

Sweeps::Sweeps(KernelBuilder& build, const Group& group, bool along, Pieces* pieces)
    : build_(build), group_(group), space_(group.iteration.space), pieces_(pieces), along_(along) {
  Index sizes;
  for (size_t d = 0; d < space_.sizes.size(); ++d) {
    (space_.reduced[d] ? reduced_ : kept_).push_back(space_.index[d]);
    if (space_.reduced[d]) sizes.push_back(space_.sizes[d]);
  }
  count_ = count_of(sizes);
  last_ = sizes.back();
  number_ = flatten(reduced_, sizes);
  step_ = ops::reduction_steps * (along_ ? ops::reduction_lanes : 1);
  const bool one = sym::prove_less(last_, step_ + 1).value_or(false) && !last_.is(0);
  per_row_ = one ? Expr(1) : sym::floordiv(last_ + (step_ - 1), step_);
  chunk_ = one ? Expr(0) : Expr::index("c", per_row_);
  outer_sizes_.assign(sizes.begin(), sizes.end() - 1);
}

Reduction Sweeps::reduction(ComputeNodeId id, DType operand) const {
  const graph::Node& node = program().graph()[program()[id].value.node];
  const ReductionBody& body = reduction_body(*node.op);
  return {.compute_node = id,
          .body = &body,
          .operand = operand,
          .element = {},
          .state = {},
          .rounds = body.rounds && is_floating(operand),
          .rows = {}};
}

void Sweeps::find_reductions(const std::function<Value(Reduction&)>& result) {
  for (const ComputeNodeId id : group_.compute_nodes) {
    const ComputeNode& compute_node = program()[id];
    if (compute_node.kind != ComputeKind::reduction) continue;
    const graph::Node& node = program().graph()[compute_node.value.node];
    const Value element = build_.compute(id, group_.index_map(id));
    Reduction r = reduction(id, node.op->reduction->state(element.dtype(), node.results[0].dtype));
    r.element = cast(element, r.operand);
    r.level = level_of(r.element);
    levels_ = std::max(levels_, r.level + 1);
    const Value stands_for = result(r);
    level_of_result_[stands_for.node()] = r.level + 1;
    build_.define(id, stands_for);
    reductions_.push_back(std::move(r));
  }
}

// Visits the nodes that the value is computed from, for its elements and for the indices of
// elements.
void Sweeps::each_node_of(Value value, FunctionRef<void(const loop::Node&)> visit) const {
  for (const loop::Node* node : loop::nodes_below({value})) {
    visit(*node);
    for (const loop::IndirectIndex& indirect : build_.kernel().indirect_indices) {
      if (node->index.defined() && sym::contains(node->index, indirect.symbol))
        each_node_of(indirect.value, visit);
    }
  }
}

// The first sweep in which all operands of the value are known.
int Sweeps::level_of(Value value) const {
  int level = 0;
  each_node_of(value, [&](const loop::Node& node) {
    const auto result = level_of_result_.find(&node);
    if (result != level_of_result_.end()) level = std::max(level, result->second);
  });
  return level;
}

// A store and its sweep: it is done in the sweep, or before it if it is a store of a row.
struct Sweeps::ScheduledStore {
  loop::Statement store;
  int level = 0;
  bool row = false, overwrites = false;
  const loop::Store& what() const { return std::get<loop::Store>(store.what); }
};

IndexMap Sweeps::index_map_of(ComputeNodeId id) const {
  const ComputeNode& compute_node = program()[id];
  if (compute_node.kind != ComputeKind::reduction) return group_.index_map(id);
  return row_index_map(space_, sizes_of(program().graph().meta(compute_node.value)));
}

bool Sweeps::is_of_row(ComputeNodeId id) const {
  return program()[id].kind == ComputeKind::reduction || !is_swept(group_.index_map(id));
}

loop::Statement Sweeps::store_of(ComputeNodeId id) {
  const ComputeNode& compute_node = program()[id];
  const IndexMap map = index_map_of(id);
  return build_.store(id, map,
                      compute_node.kind == ComputeKind::reduction
                          ? build_.read(compute_node.value, map)
                          : build_.compute(id, map));
}

void Sweeps::schedule_stores() {
  full_stores_.resize(at(levels_) + 1);
  row_stores_.resize(at(levels_) + 2);
  std::vector<ScheduledStore> all;
  for (const ComputeNodeId id : group_.stored) {
    const bool row = is_of_row(id);
    if (row && pieces_) continue;
    loop::Statement store = store_of(id);
    const int level = level_of(std::get<loop::Store>(store.what).value);
    all.push_back({std::move(store), level, row, program().overwrites(id)});
  }
  while (put_off_writes(all)) continue;
  for (ScheduledStore& each : all) {
    auto& list = each.row ? row_stores_ : full_stores_;
    list[at(each.level)].push_back(std::move(each.store));
  }
}

bool Sweeps::reads(Value value, int buffer) const {
  bool found = false;
  each_node_of(value, [&](const loop::Node& node) {
    found = found || (reads_memory(node) && node.payload == static_cast<uint64_t>(buffer));
  });
  return found;
}

// Moves the overwriting of an input to the last sweep that reads its elements, or after it; a store
// that is delayed may itself read another input. Returns whether a store moved.
bool Sweeps::put_off_writes(std::vector<ScheduledStore>& all) const {
  bool moved = false;
  for (ScheduledStore& write : all) {
    if (!write.overwrites) continue;
    const int buffer = write.what().buffer;
    int last = -1;
    for (const Reduction& r : reductions_) {
      if (reads(r.element, buffer)) last = std::max(last, r.level);
    }
    for (const ScheduledStore& reader : all) {
      if (&reader != &write && reads(reader.what().value, buffer))
        last = std::max(last, reader.level);
    }
    const int level = write.row ? std::min(last + 1, levels_ + 1) : last;
    if (level <= write.level) continue;
    write.level = level;
    moved = true;
  }
  return moved;
}

bool Sweeps::is_swept(const IndexMap& map) const {
  return std::any_of(map.begin(), map.end(), [&](Expr e) {
    return std::any_of(reduced_.begin(), reduced_.end(),
                       [&](Expr index) { return !index.constant() && sym::contains(e, index); });
  });
}

// The memory of a result that the last sweep writes along the row.
std::optional<RowScratch::ResultRow> Sweeps::result_row() const {
  if (!along_ || levels_ == 0) return std::nullopt;
  for (const loop::Statement& s : full_stores_[at(levels_)]) {
    const auto& store = std::get<loop::Store>(s.what);
    if (store.buffer >= loop::Kernel::first_row) continue;
    const BufferId buffer = build_.buffer_id(store.buffer);
    const bool alone =
        std::count_if(group_.stored.begin(), group_.stored.end(), [&](ComputeNodeId id) {
          return build_.assignment().target_buffer(id) == buffer;
        }) == 1;
    const auto along = sym::as_linear(store.element, reduced_.back());
    if (!alone || build_.assignment().buffers()[buffer.n].kind == BufferKind::input || !along ||
        !along->coefficient.is(1)) {
      continue;
    }
    return RowScratch::ResultRow{store.buffer, store.element, store.value.dtype()};
  }
  return std::nullopt;
}

void Sweeps::keep_rows(Expr element, Expr size, int64_t most_bytes) {
  if (reduced_.size() != 1) return;
  RowScratch scratch(build_.kernel(), {reduced_.back(), element, size, most_bytes,
                                       &program().machine(), result_row()});
  for (int level = 0; level <= levels_; ++level) {
    std::vector<Value*> values;
    for (Reduction& r : reductions_) {
      if (r.level == level) values.push_back(&r.element);
    }
    for (loop::Statement& s : full_stores_[at(level)]) {
      values.push_back(&std::get<loop::Store>(s.what).value);
    }
    row_writes_.push_back({});
    for (auto& [from, statement] : scratch.next_sweep(values)) {
      row_writes_[at(from)].push_back(std::move(statement));
    }
  }
}

bool Sweeps::has_reductions(int level) const {
  return std::any_of(reductions_.begin(), reductions_.end(),
                     [&](const Reduction& r) { return r.level == level; });
}

bool Sweeps::in_blocks(int level) const {
  if ((along_ || pieces_) && !chunk_.constant() && has_reductions(level)) return true;
  return std::any_of(reductions_.begin(), reductions_.end(),
                     [&](const Reduction& r) { return r.level == level && r.tree >= 0; });
}

loop::Block Sweeps::elements_of(int level) {
  Block body;
  if (!row_writes_.empty()) body = std::move(row_writes_[at(level)]);
  for (loop::Statement& s : full_stores_[at(level)]) body.push_back(std::move(s));
  return body;
}

void Sweeps::reduce(int level, Block& body) {
  for (Reduction& r : reductions_) {
    if (r.level != level) continue;
    body.push_back(
        assign(r.state, r.body->combine(r.state, r.element, build_.pool().index(number_))));
  }
}

loop::Statement Sweeps::assign(const State& variables, const State& values) {
  loop::Assign out;
  for (size_t i = 0; i < values.size(); ++i) {
    if (same(values[i], variables[i])) continue;
    out.variables.push_back(static_cast<int>(variables[i]->payload));
    out.values.push_back(values[i]);
  }
  return {std::move(out)};
}

Sweeps::State Sweeps::initial(const Reduction& r) {
  return r.body->init(build_.pool().constant(r.operand, 0.0));
}

Sweeps::State Sweeps::declare(const State& values, std::string_view name, Block& out) {
  State variables;
  for (const Value v : values) {
    const int variable = build_.new_variable();
    out.push_back({loop::Declare{variable, v, true, std::string(name)}});
    variables.push_back(build_.pool().variable(variable, v.dtype()));
  }
  return variables;
}

Sweeps::Parts Sweeps::blocks() const {
  if (pieces_)
    return {pieces_->end() - pieces_->begin(), chunk_ - pieces_->begin(), pieces_->most()};
  const std::vector<Expr> outer(reduced_.begin(), reduced_.end() - 1);
  const Expr row = flatten(Index(outer.begin(), outer.end()), outer_sizes_);
  const Expr count = count_of(outer_sizes_) * per_row_;
  return {count, row * per_row_ + chunk_, count.constant()};
}

// If there may be more than one part and the order matters.
void Sweeps::add_tree(Reduction& r, int64_t width, const Parts& parts) {
  if (!r.rounds || parts.count.is(1)) return;
  const Value none = initial(r)[0];
  VITRO_ASSERT(initial(r).size() == 1, op_name(r), " rounds and has more than one state");
  const int levels =
      parts.most ? std::max(1, static_cast<int>(std::bit_width(static_cast<uint64_t>(*parts.most))))
                 : ops::reduction_levels;
  loop::Tree tree{.name = std::string(op_name(r)), .none = none, .merged = {}, .width = width};
  tree.left = build_.new_variable();
  tree.right = build_.new_variable();
  loop::Pool& pool = build_.pool();
  tree.merged = r.body->merge({pool.variable(tree.left, none.dtype())},
                              {pool.variable(tree.right, none.dtype())})[0];
  tree.row = build_.add_row(cat(tree.name, "_parts"), none.dtype(), levels * width);
  r.tree = static_cast<int>(build_.kernel().trees.size());
  build_.kernel().trees.push_back(std::move(tree));
}

loop::Statement Sweeps::grow(const Reduction& r, Expr column, const Parts& parts) {
  return {loop::Grow{r.tree, parts.number, column, r.state[0]}};
}

Sweeps::State Sweeps::total(const Reduction& r, Expr column, const Parts& parts, Block& out) {
  const int variable = build_.new_variable();
  out.push_back({loop::Total{variable, r.tree, parts.count, column, std::string(op_name(r))}});
  return {build_.pool().variable(variable, r.operand)};
}

Sweeps::State Sweeps::merge_lanes(const Reduction& r, State state, Block& out) {
  for (int by = static_cast<int>(ops::reduction_lanes) / 2; by > 0; by /= 2) {
    State other;
    for (const Value v : state) other.push_back(rotate(v, by));
    const State merged = r.body->merge(state, other);
    state.clear();
    for (const Value v : merged) {
      const int variable = build_.new_variable();
      out.push_back({loop::Declare{variable, v, false, std::string(op_name(r))}});
      state.push_back(build_.pool().variable(variable, v.dtype()));
    }
  }
  return state;
}

Sweeps::State Sweeps::merge_halves(const Reduction& r, std::vector<State> states) {
  for (size_t half = states.size() / 2; half > 0; half /= 2) {
    for (size_t i = 0; i < half; ++i) states[i] = r.body->merge(states[i], states[i + half]);
  }
  return states[0];
}

Value Sweeps::finished(const Reduction& r, const State& state) {
  const State results = r.body->finish(state, cast(build_.pool().index(count_), r.operand));
  const uint32_t result = program().result_of(program()[r.compute_node].value.node);
  return cast(results[result], node_of(r).results[0].dtype);
}

loop::Statement Sweeps::inner_loop(Block body, bool one_block) {
  const Expr index = reduced_.back().constant() ? Expr::index("k", 1) : reduced_.back();
  loop::Loop inner{index, 0, last_, along_, std::move(body)};
  if (one_block && !chunk_.constant()) {
    inner.begin = chunk_ * step_;
    inner.end = sym::min(chunk_ * step_ + step_, last_);
  }
  return {std::move(inner)};
}

loop::Statement Sweeps::chunk_loop(Block body) {
  const Expr index = chunk_.constant() ? Expr::index("c", 1) : chunk_;
  if (pieces_) return {loop::Loop{index, pieces_->begin(), pieces_->end(), false, std::move(body)}};
  return {loop::Loop{index, 0, per_row_, false, std::move(body)}};
}

loop::Statement Sweeps::outer_loops(loop::Statement inner) {
  for (size_t d = reduced_.size() - 1; d-- > 0;) {
    if (reduced_[d].constant()) continue;
    Block one;
    one.push_back(std::move(inner));
    inner = {loop::Loop{reduced_[d], 0, sym::extent_of(reduced_[d]), false, std::move(one)}};
  }
  return inner;
}

}  // namespace vitro::backend
