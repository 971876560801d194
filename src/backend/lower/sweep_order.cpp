// Lowers a group once to find its accesses, and passes the kept dimensions to
// loop::choose_loop_nest(); lowering calls swept_in_memory_order() for every group with reductions.
#include "backend/lower/sweep_order.h"

#include <algorithm>

#include "backend/schedule/reductions.h"
#include "loop/loop_nest.h"

namespace vitro::backend {
namespace {

using loop::Value;

// The first load whose elements are reduced: its strides decide the order of the loops.
Expr reduced_element(const SweepAccesses& accesses, const IterationSpace& space) {
  for (const loop::Node* load : accesses.loads) {
    if (is_swept(load->index, space)) return load->index;
  }
  return {};
}

// The dimensions of the shape that the space keeps, each with its own index; `values`: the space's
// index in terms of them.
Index kept_dimensions(const ComputeNode& compute_node, const IterationSpace& space, Index& values) {
  Index dims;
  for (size_t d = 0, of_space = 0; d < compute_node.sizes.size(); ++d) {
    const bool starts = d > 0 && compute_node.reduced[d] != compute_node.reduced[d - 1];
    of_space += starts;
    if (compute_node.reduced[d]) {
      values[of_space] = space.index[of_space];
      continue;
    }
    const Expr size = compute_node.sizes[d];
    if (d == 0 || starts) values[of_space] = 0;
    if (!size.is(1)) dims.push_back(Expr::index(cat("d", d), size));
    values[of_space] = values[of_space] * size + (size.is(1) ? Expr(0) : dims.back());
  }
  return dims;
}

Group with_space(const Group& group, IterationSpace space, const Index& values) {
  const IterationSpace& old = group.iteration.space;
  space.row = with_index(old.row, old, values);
  Group out = group;
  for (IndexMap& map : out.iteration.index_maps) map = with_index(map, old, values);
  out.iteration.space = std::move(space);
  return out;
}

// The loops around the reduced dimensions; in a reduction along columns, the last kept one is
// inside.
IterationSpace iteration_space_of(const IterationSpace& old, const std::vector<Expr>& loops) {
  IterationSpace space;
  const auto add = [&](Expr index, Expr size, bool reduced) {
    space.index.push_back(index);
    space.sizes.push_back(size);
    space.reduced.push_back(reduced);
  };
  const size_t around = loops.size() - (old.reduced.back() ? 0 : 1);
  for (size_t i = 0; i < around; ++i) add(loops[i], sym::extent_of(loops[i]), false);
  for (size_t d = 0; d < old.sizes.size(); ++d) {
    if (old.reduced[d]) add(old.index[d], old.sizes[d], true);
  }
  for (size_t i = around; i < loops.size(); ++i) add(loops[i], sym::extent_of(loops[i]), false);
  return space;
}

// Whether the loops are already those of the space.
bool keeps_order(const IterationSpace& space, const Index& values, const std::vector<Expr>& loops) {
  std::vector<Expr> kept;
  for (size_t d = 0; d < values.size(); ++d) {
    if (!space.reduced[d] && !space.index[d].constant()) kept.push_back(values[d]);
  }
  return kept == loops;
}

}  // namespace

bool is_swept(Expr element, const IterationSpace& space) {
  for (size_t d = 0; d < space.index.size(); ++d) {
    const bool is_loop = space.reduced[d] && !space.index[d].constant();
    if (is_loop && sym::contains(element, space.index[d])) return true;
  }
  return false;
}

std::optional<Expr> stride_across(Expr element, Expr lane, Expr inner) {
  if (inner.constant() || lane.constant()) return std::nullopt;
  const auto across = sym::as_linear(element, lane), along = sym::as_linear(element, inner);
  if (!across || !along || !along->coefficient.is(1)) return std::nullopt;
  if (across->coefficient.is(0) || across->coefficient.is(1)) return std::nullopt;
  return across->coefficient;
}

SweepAccesses accesses_of(const Program& program, const BufferAssignment& assignment,
                          const Group& group) {
  KernelBuilder trial(program, assignment, group);
  SweepAccesses out;
  std::vector<Value> roots;
  for (const ComputeNodeId id : group.compute_nodes) {
    const ComputeNode& compute_node = program[id];
    if (compute_node.kind != ComputeKind::reduction) continue;
    roots.push_back(trial.compute(id, group.index_map(id)));
    const DType dtype = program.graph().meta(compute_node.value).dtype;
    trial.define(id, trial.pool().variable(trial.new_variable(), dtype));
  }
  for (const ComputeNodeId id : group.stored) {
    const ComputeNode& compute_node = program[id];
    const bool reduces = compute_node.kind == ComputeKind::reduction;
    const Index at = reduces ? row_index_map(group.iteration.space,
                                             sizes_of(program.graph().meta(compute_node.value)))
                             : group.index_map(id);
    const Value value = reduces ? trial.read(compute_node.value, at) : trial.compute(id, at);
    out.stored.push_back(std::get<loop::Store>(trial.store(id, at, value).what).element);
    roots.push_back(value);
  }
  for (const loop::IndirectIndex& indirect : trial.kernel().indirect_indices)
    roots.push_back(indirect.value);
  out.elements = out.stored;
  for (const loop::Node* node : loop::nodes_below(roots)) {
    if (node->index.defined()) out.elements.push_back(node->index);
    if (node->fn == loop::Fn::load) out.loads.push_back(node);
  }
  out.pool = trial.kernel().pool;
  return out;
}

Group swept_in_memory_order(const Program& program, const BufferAssignment& assignment,
                            const Group& group) {
  const IterationSpace& space = group.iteration.space;
  const auto first =
      std::find_if(group.compute_nodes.begin(), group.compute_nodes.end(),
                   [&](ComputeNodeId id) { return program[id].kind == ComputeKind::reduction; });
  if (first == group.compute_nodes.end()) return group;
  Index values(space.index.size(), Expr(0));
  const Index dims = kept_dimensions(program[*first], space, values);
  if (dims.size() < 2) return group;
  const SweepAccesses accesses = accesses_of(program, assignment, with_space(group, space, values));
  const loop::LoopNest nest =
      loop::choose_loop_nest(dims, accesses.elements, reduced_element(accesses, space));
  std::vector<std::pair<Expr, Expr>> pairs;
  for (size_t d = 0; d < dims.size(); ++d) pairs.emplace_back(dims[d], nest.values[d]);
  for (Expr& value : values) value = sym::substitute(value, pairs);
  if (keeps_order(space, values, nest.loops)) return group;
  IterationSpace made = iteration_space_of(space, nest.loops);
  const bool along_columns = !space.reduced.back() && !space.index.back().constant();
  if (along_columns && is_short_side(made.sizes.back())) return group;
  return with_space(group, std::move(made), values);
}

}  // namespace vitro::backend
