// Users' kernels: the op's operands and results, each an entire tensor in a buffer.
#include "backend/lower/builder.h"
#include "vitro/base/error.h"

namespace vitro::backend {

LoweredKernel lower_opaque(const Program& program, const BufferAssignment& assignment,
                           const Group& group) {
  const ComputeNodeId compute_node = group.compute_nodes[0];
  const graph::NodeId id = program[compute_node].value.node;
  const graph::Node& node = program.graph()[id];
  KernelBuilder build(program, assignment, group);
  OpaqueKernel made{id, {}};
  sym::Expr bytes = 0;
  const auto add = [&](const Stored& stored, graph::Value value, bool written) {
    build.buffer(stored.buffer, written);
    made.tensors.push_back({value, stored.buffer, stored.strides});
    const TensorMeta& meta = program.graph().meta(value);
    bytes = bytes + count_of(sizes_of(meta)) * bytes_of(meta.dtype);
  };
  for (const graph::Arg& arg : node.args) {
    const auto* value = std::get_if<graph::Value>(&arg);
    if (!value || program.graph()[value->node].input == graph::InputKind::number) continue;
    VITRO_CHECK(!program.is_empty(*value), node.op->name,
                ": an operand without elements, which the compiler does not lower yet");
    add(assignment.of(value->node), *value, false);
  }
  for (const graph::NodeId result : program.made_by(compute_node))
    add(assignment.of(result), {result, 0}, true);
  build.kernel().bytes = bytes;
  build.kernel().flops = 0;
  build.set_opaque(std::move(made));
  return build.take();
}

}  // namespace vitro::backend
