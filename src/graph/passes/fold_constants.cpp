// Computes values that depend only on constants, at compile time.
#include <map>

#include "graph/metas.h"
#include "graph/passes/rebuild.h"
#include "vitro/base/error.h"
#include "vitro/core/interpreter.h"
#include "vitro/graph/build.h"
#include "vitro/graph/pass.h"
#include "vitro/ops/create.h"

namespace vitro::graph {
namespace {

// A constant-filled tensor is represented by one element: nothing is allocated in full size.
class Fold {
 public:
  explicit Fold(const Graph& g) : g_(g), made_(g) {}

  Graph run() {
    for (uint32_t n = 0; n < g_.size(); ++n) {
      if (!g_.nodes()[n].is_input()) visit(NodeId{n});
    }
    return made_.take();
  }

 private:
  void visit(NodeId id) {
    const Node& node = g_[id];
    if (const auto element = one_element(node)) {
      known_.emplace(Value{id, 0}, *element);
      if (node.op->kind == OpKind::pointwise && reads_a_tensor(node) && fill(id, *element)) return;
    }
    made_.keep(id);
    if (node.op->kind != OpKind::pointwise) return;
    Node& now = made_.to[made_[{id, 0}].node];
    for (size_t i = node.op->pointwise->first_is_shape ? 1 : 0; i < now.args.size(); ++i)
      use_number(now, node, i);
  }

  const Tensor* known(const Arg& arg) const {
    const auto* value = std::get_if<Value>(&arg);
    const auto found = value ? known_.find(*value) : known_.end();
    return found == known_.end() ? nullptr : &found->second;
  }

  static bool reads_a_tensor(const Node& node) {
    const size_t first = node.op->pointwise->first_is_shape ? 1 : 0;
    for (size_t i = first; i < node.args.size(); ++i) {
      if (std::holds_alternative<Value>(node.args[i])) return true;
    }
    return false;
  }

  // The single element that fills the node's result, as a tensor of the result's rank.
  std::optional<Tensor> one_element(const Node& node) const {
    if (node.op->kind == OpKind::view) {
      const Tensor* element = known(node.args[0]);
      if (!element) return std::nullopt;
      return with_rank(*element, node.results[0].rank());
    }
    if (node.op->kind != OpKind::pointwise || node.op->pointwise->uses_index) return std::nullopt;
    if (node.op->pointwise->first_is_shape || node.results[0].device != cpu) return std::nullopt;
    std::vector<Operand> operands;
    for (const Arg& arg : node.args) {
      const auto* number = std::get_if<Scalar>(&arg);
      const Tensor* element = known(arg);
      if (number && number->is_symbolic()) return std::nullopt;
      if (!number && !element && !std::holds_alternative<std::monostate>(arg)) return std::nullopt;
      operands.push_back(number ? Operand(*number) : element ? Operand(*element) : Operand());
    }
    return compute(node, operands);
  }

  static Tensor with_rank(const Tensor& element, int rank) {
    const Ints ones(static_cast<size_t>(rank), 1);
    return Tensor::over(element.storage(), element.dtype(), ones, ones);
  }

  // Runs the eager kernels on one element; nothing if there are none, or if they throw an Error.
  static std::optional<Tensor> compute(const Node& node, std::span<const Operand> operands) {
    const UsingStack eager(nullptr);
    const Attrs attrs = node.attrs.map_sizes([](Size) { return Size(1); });
    Tensor result;
    try {
      call(OpCall{node.op, operands, attrs.view(), false, std::source_location::current()},
           {&result, 1});
    } catch (const Error&) {
      return std::nullopt;
    }
    if (result.numel().hint() != 1 || result.rank() != node.results[0].rank()) return std::nullopt;
    return result;
  }

  static Scalar number_of(const Tensor& element) {
    const UsingStack eager(nullptr);
    return element.item();
  }

  // Replaces the node by a tensor filled with the element; false if their metas differ.
  bool fill(NodeId id, const Tensor& element) {
    const TensorMeta& meta = g_[id].results[0];
    const Scalar number = number_of(element);
    Builder build(std::move(made_.to));
    build.set_location(g_[id].location);
    Value now;
    {
      const Using use(&build);
      now = build.value(full(meta.sizes, number, meta.dtype, meta.device));
    }
    made_.to = build.take();
    const bool same = fits(made_.to.meta(now), meta);
    if (same) made_.set({id, 0}, now);
    return same;
  }

  // Replaces a constant-filled operand by its number if promotion and rounding stay the same.
  void use_number(Node& now, const Node& node, size_t i) {
    const Tensor* element = known(node.args[i]);
    if (!element) return;
    Node with = now;
    with.args[i] = number_of(*element);
    const sym::GuardSink already_asked;  // recorded when the node was made
    try {
      const auto results = infer(made_.to, *with.op, with.args, with.attrs.view());
      if (!fits(results[0], now.results[0])) return;
    } catch (const Error&) {  // the op needs a tensor here
      return;
    }
    const DType common = common_dtype(made_.to, now);
    if (common_dtype(made_.to, with) != common) return;
    const bool same = operand_dtype(made_.to, with, i) == operand_dtype(made_.to, now, i);
    if (same || element->dtype() == common) now.args = with.args;
  }

  const Graph& g_;
  Rebuild made_;
  std::map<Value, Tensor> known_;
};

}  // namespace

Graph fold_constants(Graph g) {
  return Fold(g).run();
}

}  // namespace vitro::graph
