// Builds a graph from a program: ops called through the door become nodes.  For decompositions,
// rules and tests; user programs are captured by capture/, which also handles mutation, breaks and
// guards: a builder rejects in-place calls and tensors that are not its own.  The sizes of its
// tensors can be queried only while it is in use, and the tensors must not outlive it.
//   Builder b;
//   Tensor x = b.input("x", ops::dense(DType::f32, cpu, {2, 3}));
//   { Using use(&b); b.output(exp(x)); }
//   Graph g = b.take();
#pragma once

#include <memory>

#include "vitro/core/interpreter.h"
#include "vitro/graph/graph.h"

namespace vitro::graph {

class Builder : public Interpreter {
 public:
  Builder();
  explicit Builder(Graph start);  // appends to this graph
  ~Builder() override;

  Tensor input(std::string name, TensorMeta meta, InputKind kind = InputKind::argument);
  // A handle for a value of the graph.  Ops treat the handle of a number input as that number.
  Tensor tensor(Value value);
  Value value(const Tensor& tensor) const;
  void output(const Tensor& tensor, int writes = -1);
  Graph take();
  // The source location of nodes made from now on, instead of the call's own.
  void set_location(SourceLocation location);
  // Whether composite ops are expanded instead of becoming one node each.
  void set_expand(bool on);

  void call(const OpCall& call, std::span<Tensor> results) override;
  void materialize(TensorImpl& impl, Need need,
                   std::source_location where) override;  // Error: there are no values yet
  std::optional<int64_t> value_of(sym::Expr expr) const override;
  uint64_t call_number() const override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vitro::graph
