// Assigns buffers to values: inputs, outputs, values that kernels pass on, and views of these.
#include "backend/lower/buffer_assignment.h"

#include "kernels/product.h"
#include "vitro/base/error.h"

namespace vitro::backend {
Expr Stored::element(const Index& index) const {
  if (!layout) return element_of(index, strides);
  std::vector<std::pair<Expr, Expr>> values;
  for (size_t d = 0; d < index.size(); ++d) {
    if (!layout->index[d].constant()) values.emplace_back(layout->index[d], index[d]);
  }
  return sym::substitute(layout->element, values);
}

BufferAssignment::BufferAssignment(const Program& program, const Groups& groups)
    : program_(&program), by_node_(program.graph().size()), known_(program.graph().size(), false) {
  const graph::Graph& g = program.graph();
  for (size_t i = 0; i < g.inputs().size(); ++i) {
    const graph::NodeId id = g.inputs()[i];
    if (g[id].input == graph::InputKind::number) continue;
    Stored& stored = by_node_[id.n];
    stored.strides = program.strides_of(id);
    const Expr count = count_of(sizes_of(g[id].results[0]));
    stored.buffer = add(
        {g[id].name, g[id].results[0].dtype, BufferKind::input, {static_cast<uint32_t>(i)}, count});
    known_[id.n] = true;
  }
  for (uint32_t n = 0; n < g.size(); ++n) {
    const graph::NodeId alias_target = program.alias_target({n});
    if (alias_target.n == n) continue;
    by_node_[n] = by_node_[alias_target.n];
    known_[n] = true;
  }
  outputs_.resize(g.outputs().size());
  for (const Group& group : groups.groups) {
    for (const ComputeNodeId id : group.stored) {
      const ComputeNode& compute_node = program[id];
      if (program.overwrites(id)) continue;
      if (compute_node.role == ComputeRole::output) {
        outputs_[static_cast<size_t>(compute_node.part)] =
            make(g[compute_node.value.node].name, g.meta(compute_node.value), BufferKind::output);
        continue;
      }
      for (const graph::NodeId node : program.made_by(id)) {
        if (known_[node.n] || program.is_empty({node, 0})) continue;
        known_[node.n] = true;
        const bool is_output = program.is_output_value(node);
        by_node_[node.n] = make(g[node].name, g[node].results[0],
                                is_output ? BufferKind::output : BufferKind::temporary);
        by_node_[node.n].strides = program.strides_of(node);
        by_node_[node.n].layout = consumer_layout(program, id);
      }
    }
  }
  for (size_t i = 0; i < g.outputs().size(); ++i) {
    const graph::NodeId node = g.outputs()[i].value.node;
    const bool direct = !g[node].is_input() && !program.is_inlined(node);
    if (g.outputs()[i].writes >= 0) continue;
    if (program.is_empty(g.outputs()[i].value)) {
      outputs_[i] = make(g[node].name, g.meta(g.outputs()[i].value), BufferKind::output);
    } else if (direct) {
      outputs_[i] = of(node);
    }
  }
}

BufferId BufferAssignment::add(BufferInfo info) {
  buffers_.push_back(std::move(info));
  return BufferId{static_cast<uint32_t>(buffers_.size() - 1)};
}

std::pair<BufferId, bool> BufferAssignment::panels_of(const PackedOperand& operand) {
  for (const auto& [known, buffer] : panels_) {
    if (known == operand) return {buffer, false};
  }
  const BufferInfo from = buffers_[operand.from.n];
  constexpr int64_t width = kernels::product_most_width;
  const Expr columns = sym::floordiv(operand.n + (width - 1), width) * width;
  const BufferId buffer = add({cat(from.name, "_panels"),
                               from.dtype,
                               BufferKind::packed,
                               {},
                               columns * operand.rows * operand.batches});
  panels_.emplace_back(operand, buffer);
  return {buffer, true};
}

std::pair<BufferId, bool> BufferAssignment::image_of(const ImageCopy& copy, DType dtype) {
  for (const auto& [known, buffer] : images_) {
    if (known == copy) return {buffer, false};
  }
  const BufferId buffer = add({"image", dtype, BufferKind::temporary, {}, count_of(copy.sizes)});
  images_.emplace_back(copy, buffer);
  return {buffer, true};
}

void BufferAssignment::forget_panels(BufferId from) {
  std::erase_if(panels_, [&](const auto& known) { return known.first.from == from; });
}

Stored BufferAssignment::make(const std::string& name, const TensorMeta& meta, BufferKind kind) {
  const BufferId buffer = add({name, meta.dtype, kind, {}, count_of(sizes_of(meta))});
  return {buffer, strides_of_new(meta)};
}

const Stored& BufferAssignment::of(graph::NodeId node) const {
  VITRO_ASSERT(known_[node.n], program_->graph()[node].name, " has no buffer");
  return by_node_[node.n];
}

BufferId BufferAssignment::target_buffer(ComputeNodeId id) const {
  const ComputeNode& compute_node = (*program_)[id];
  const graph::Graph& g = program_->graph();
  if (compute_node.role == ComputeRole::output)
    return outputs_[static_cast<size_t>(compute_node.part)].buffer;
  if (compute_node.role != ComputeRole::write) return of(compute_node.value.node).buffer;
  const int to = g.outputs()[static_cast<size_t>(compute_node.part)].writes;
  return of(g.inputs()[static_cast<size_t>(to)]).buffer;
}

Expr BufferAssignment::target(ComputeNodeId id, const Index& at) const {
  const ComputeNode& compute_node = (*program_)[id];
  const graph::Graph& g = program_->graph();
  switch (compute_node.role) {
    case ComputeRole::result:
    case ComputeRole::base:
    case ComputeRole::put:
      return of(compute_node.value.node).element(at);
    case ComputeRole::output:
      return outputs_[static_cast<size_t>(compute_node.part)].element(at);
    case ComputeRole::write: {
      const int to = g.outputs()[static_cast<size_t>(compute_node.part)].writes;
      return of(g.inputs()[static_cast<size_t>(to)]).element(at);
    }
    case ComputeRole::slice: {
      Index moved = at;
      for (size_t d = 0; d < moved.size(); ++d) moved[d] = moved[d] + compute_node.offset[d];
      return of(compute_node.value.node).element(moved);
    }
    case ComputeRole::insert:
      return of(compute_node.value.node).element(program_->written_at(id, at));
  }
  VITRO_ASSERT(false, "no such role");
  return {};
}

}  // namespace vitro::backend
