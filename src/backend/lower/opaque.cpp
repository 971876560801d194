// Users' kernels: the op's operands and results, each an entire tensor in a buffer.
#include "backend/lower/builder.h"

namespace vitro::backend {

LoweredKernel lower_opaque(const Program& program, const BufferAssignment& assignment,
                           const Group& group) {
  const ComputeNodeId compute_node = group.compute_nodes[0];
  const graph::NodeId id = program[compute_node].value.node;
  const graph::Node& node = program.graph()[id];
  KernelBuilder build(program, assignment, group);
  OpaqueKernel made{id, {}};
  sym::Expr bytes = 0;
  const auto add = [&](graph::Value value, bool written) {
    const TensorMeta& meta = program.graph().meta(value);
    if (is_empty(meta)) {
      made.tensors.push_back({value, {}, strides_of_new(meta)});
      return;
    }
    const Stored& stored = assignment.of(value.node);
    build.buffer(stored.buffer, written);
    made.tensors.push_back({value, stored.buffer, stored.strides});
    bytes = bytes + count_of(sizes_of(meta)) * bytes_of(meta.dtype);
  };
  for (const graph::Arg& arg : node.args) {
    const auto* value = std::get_if<graph::Value>(&arg);
    if (!value || program.graph()[value->node].input == graph::InputKind::number) continue;
    add(*value, false);
  }
  for (const graph::NodeId result : program.made_by(compute_node)) add({result, 0}, true);
  build.kernel().bytes = bytes;
  build.kernel().flops = 0;
  build.set_opaque(std::move(made));
  return build.take();
}

}  // namespace vitro::backend
