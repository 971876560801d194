// The graph of recorded calls, from results to operands: what a backward pass walks.
//
// A tensor that requires a gradient refers to the node of the call that made it; a node refers to
// those that made its operands (edges), or to the place where the gradient of a leaf is summed.
// Nobody refers from operands to results, so that a part of the graph ends with the last tensor
// that needs it.  Destructors do not recurse along the graph, which may have any depth.
// Threads: nodes are not changed after they are made, except that a backward pass releases what
// they saved, under their lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "autograd/data_sizes.h"
#include "autograd/parts.h"
#include "core/backward_region.h"
#include "vitro/base/called_as.h"
#include "vitro/core/op.h"
#include "vitro/core/tensor.h"

namespace vitro::autograd {

class Node;

// Where a gradient goes: to a result of a node; null: it is not needed.
struct Edge {
  std::shared_ptr<Node> node;
  uint32_t result = 0;
  explicit operator bool() const { return node != nullptr; }
};

// Called with the gradient of a tensor, returns what replaces it; undefined: it stays.
using Hook = std::function<Tensor(const Tensor& gradient)>;

// The hooks of a leaf, or of the results of a node.  Threads: any.
class Hooks {
 public:
  // A number for remove().  The hooks that are `last` are called after the others.
  uint64_t add(uint32_t result, Hook hook, bool last = false);
  void remove(uint64_t id);
  // Of one result, in the order in which they are called.
  std::vector<Hook> of(uint32_t result) const;

 private:
  struct One {
    uint64_t id;
    uint32_t result;
    Hook hook;
    bool last;
  };
  mutable std::mutex lock_;
  std::vector<One> all_;
  uint64_t last_ = 0;
};

class Node {
 public:
  Node(std::string_view op, const Called& called, size_t results);
  virtual ~Node();
  Node(const Node&) = delete;

  // The gradients that go along the edges, given those of the results; undefined ones are 0.
  virtual std::vector<Tensor> back(std::span<const Tensor> gradients) = 0;
  // Drops what was saved for back(), which is an Error afterwards.
  virtual void release() {}
  // The hooks of its results; made when they are first asked for.
  virtual std::shared_ptr<Hooks> hooks();
  // The same, or null.
  virtual std::shared_ptr<const Hooks> known_hooks();
  // Of a call whose result is a part of its operand: which, as far as it is known in numbers.
  virtual std::optional<Part> part() const { return {}; }
  // Whether the graph ends here, at a leaf.
  virtual bool is_end() const { return false; }

  const std::string_view op;  // of the call: "mul"
  // What the program called, and where: of an op that a function calls, the function.
  const std::string_view function;
  const std::source_location where;
  const uint32_t module;  // in which the call was made (base/module_path.h)
  const uint64_t number;  // grows in the order in which nodes are made
  const size_t results;
  // Of the compiled function that recorded the call, and the number of its call; null, 0: none did.
  const std::shared_ptr<BackwardRegion> region;
  const uint64_t within;
  std::vector<Edge> edges;

 protected:
  std::mutex lock_;

 private:
  std::shared_ptr<Hooks> hooks_;
};

// Drops a reference, without recursion along the graph.
void let_go(std::shared_ptr<Node> node);

// One step of a view: what was called, on what, and what it gave.
struct ViewStep {
  const OpDef* op;
  Attrs attrs;
  TensorMeta operand, result;
  uint64_t within = 0;  // the compiled call in which it was made, whose symbols it may contain
  DataSizes sizes;      // of these symbols
};

// The steps from a tensor to a view of it, the last one first: views of a view share them.
struct ViewSteps {
  ViewStep last;
  std::shared_ptr<const ViewSteps> before;
  ViewSteps(ViewStep step, std::shared_ptr<const ViewSteps> steps)
      : last(std::move(step)), before(std::move(steps)) {}
  ViewSteps(const ViewSteps&) = delete;
  ~ViewSteps();  // without recursion
  std::vector<ViewStep> in_order() const;
};

// What `autograd` keeps with a tensor.
class Record final : public GradientRecord {
 public:
  ~Record() override;
  bool is_leaf() const override { return !made_by; }
  bool requires_grad(const Tensor& tensor) override;  // not a complex one

  // The call that made the tensor; null: it is a leaf.
  std::shared_ptr<Node> made_by;
  uint32_t result = 0;

  // Of a leaf: where its gradient is summed, if any graph refers to it; and that gradient.
  std::weak_ptr<Node> sum;
  Tensor gradient;
  std::shared_ptr<Hooks> hooks;  // null: none yet

  // Of another tensor, if its gradient is kept, too.
  struct Retained {
    Tensor gradient;
    const Node* by = nullptr;  // `made_by`: a write to the tensor changes it
  };
  std::shared_ptr<Retained> retained;
  Tensor& kept() { return retained ? retained->gradient : gradient; }
  void set_made_by(std::shared_ptr<Node> node, uint32_t result_of_node);
  void retain();

  // Of a view: the tensor of which it is one, the steps from there, and writes_to() the memory when
  // `made_by` was found.
  struct View {
    Tensor base;
    std::shared_ptr<const ViewSteps> steps;
    uint32_t writes = 0;
    // It was made while gradients were not recorded, so a recorded write to it cannot be one to the
    // base.
    bool is_unrecorded = false;
  };
  std::unique_ptr<View> view;
};

// The record of a tensor, null if it has none.
inline Record* record_of(const Tensor& tensor) {
  return static_cast<Record*>(tensor.impl()->gradient.get());  // the only class of records
}
Record& made_record_of(const Tensor& tensor);

// Brings the record of a view up to date with the writes to its memory since it was made.
void refresh(const Tensor& view, Record& record);

// Adds to Tensor::grad of a tensor that requires a gradient, a leaf or not.
void add_to_gradient(const Tensor& tensor, const Tensor& gradient);

// Where the gradient of a tensor that requires one goes.
Edge edge_of(const Tensor& tensor);

}  // namespace vitro::autograd
