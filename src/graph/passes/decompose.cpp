#include "graph/metas.h"
#include "graph/passes/rebuild.h"
#include "vitro/base/error.h"
#include "vitro/graph/build.h"
#include "vitro/graph/pass.h"
#include "vitro/ops/all.h"

namespace vitro::graph {
namespace {

// Gives the result the recorded sizes, as the same expressions (a guard may have fixed a symbol),
// and makes it contiguous if recorded so: its users rely on that.
void lay_out(Tensor& result, const TensorMeta& recorded) {
  if (!attribute::same(result.sizes(), recorded.sizes)) result = reshape(result, recorded.sizes);
  const Sizes wanted = contiguous_strides(recorded.sizes);
  if (!attribute::same(recorded.strides, wanted) || attribute::same(result.strides(), wanted)) {
    return;
  }
  result = clone(result, ops::MemoryFormat::contiguous);
}

std::vector<Value> expand(Graph& to, const Node& node, OpProgram program) {
  Builder build(std::move(to));
  build.set_expand(true);
  SourceLocation location = node.location;
  if (location.call.empty()) location.call = node.op->name;
  build.set_location(location);
  std::vector<Tensor> tensors(node.args.size()), results(node.results.size());
  std::vector<Operand> operands;
  for (size_t i = 0; i < node.args.size(); ++i) {
    if (const auto* value = std::get_if<Value>(&node.args[i])) {
      tensors[i] = build.tensor(*value);
      operands.emplace_back(tensors[i]);
    } else if (const auto* number = std::get_if<Scalar>(&node.args[i])) {
      operands.emplace_back(*number);
    } else {
      operands.emplace_back();
    }
  }
  {
    const Using use(&build);
    program(operands, node.attrs.view(), results);
    for (size_t i = 0; i < results.size(); ++i) lay_out(results[i], node.results[i]);
  }
  std::vector<Value> values;
  for (const Tensor& result : results) values.push_back(build.value(result));
  to = build.take();
  return values;
}

}  // namespace

Graph decompose(Graph g) {
  Rebuild made = Rebuild::taking(g);
  for (uint32_t n = 0; n < g.size(); ++n) {
    const NodeId id{n};
    if (g[id].is_input()) continue;
    const OpProgram program = program_of(*g[id].op, g[id].results[0].dtype);
    if (!program) {
      made.keep(id);
      continue;
    }
    const std::vector<Value> values = expand(made.to, made.mapped(id), program);
    for (uint32_t i = 0; i < values.size(); ++i) made.set({id, i}, values[i]);
  }
  return made.take();
}

}  // namespace vitro::graph
