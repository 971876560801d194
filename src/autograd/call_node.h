// The nodes of op calls: what a call saves for its gradient, and the gradient.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "autograd/data_sizes.h"
#include "autograd/node.h"
#include "autograd/recomputation.h"
#include "autograd/shapes.h"
#include "autograd/uses.h"
#include "core/saved_tensors.h"
#include "vitro/core/op.h"

namespace vitro::autograd {

// An operand or result of a call, as far as its gradient uses it.
class SavedValue {
 public:
  SavedValue() = default;  // no operand
  explicit SavedValue(const Scalar& number) : value_(number) {}
  // Its elements are used; those that it has now.
  explicit SavedValue(Tensor tensor);
  // Only its shape is used.
  SavedValue(TensorMeta meta, Use use)
      : value_(Shape{std::make_unique<TensorMeta>(std::move(meta)), use}) {}

  // The value for a formula.  `place` and `shapes` keep what it refers to.  With `numbers` it has
  // no symbols, as the compiled call in which it was saved has ended.
  Operand operand(const DataSizes* numbers, Shapes& shapes, Tensor& place) const;
  // Whether its elements were written since.
  bool was_written() const;
  // Returns whether elements were saved.
  bool release();
  // Null if more than the shape is used.
  const TensorMeta* meta() const {
    const Shape* shape = std::get_if<Shape>(&value_);
    return shape ? shape->meta.get() : nullptr;
  }

 private:
  struct Kept {
    Tensor tensor;
    uint32_t writes;
  };
  // Of a running compiled call, which may leave it to be computed again.
  struct Deferred {
    std::shared_ptr<SavedTensor> tensor;
    uint32_t writes;
    Edge history;  // of the tensor that was saved, if `tensor` has none
    Tensor value() const;
  };
  struct Shape {
    std::unique_ptr<TensorMeta> meta;
    Use use;
  };
  // Computed again by a checkpoint.
  struct Again {
    std::shared_ptr<Recomputation> by;
    size_t number;
  };
  std::variant<std::monostate, Scalar, Kept, Deferred, Shape, Again> value_;
};

// What a call needs for its gradient.
struct SavedCall {
  const OpDef* op;
  Attrs attrs;
  std::vector<SavedValue> operands, results;
  uint64_t within = 0;  // the compiled call in which it was made, whose symbols it may contain
  DataSizes sizes;      // of these symbols
};

// A call that made tensors, or that wrote to one of which nothing is a view: then the node stands
// for the call that would have made a new tensor.
class CallNode final : public Node, public std::enable_shared_from_this<CallNode> {
 public:
  CallNode(SavedCall saved, std::source_location where);
  std::vector<Tensor> back(std::span<const Tensor> gradients) override;
  std::optional<Part> part() const override;
  void release() override {
    if (!is_part_) release_saved();
  }
  // A WriteNode stands for this node and releases it; with create_graph it is in the graph, too.
  void be_part() { is_part_ = true; }
  void release_saved();

 private:
  std::vector<Tensor> gradients_of(std::span<const Tensor> gradients);
  SavedCall saved_;
  bool is_part_ = false;
  bool released_ = false;  // what was saved; a call that saved nothing may be gone through again
};

// Result `k` of a node, for a backward pass whose calls are recorded in turn.
Tensor with_history(const Tensor& result, std::shared_ptr<Node> node, uint32_t k);

// The same elements, in memory of the same storage, without a record.
Tensor detached(const Tensor& tensor);

// A copy of a tensor with these strides; contiguous if elements share memory by them.
Tensor laid_out_as(const TensorMeta& meta, const Tensor& tensor);

// The node of a step of a view, with one edge to be set.
std::shared_ptr<Node> node_of_view(const ViewStep& step);

// The windows that steps of a view make of `base`.
Tensor view_along(const Tensor& base, std::span<const ViewStep> steps);

// A write to a view, as a node of what it is a view of: `inner` is the call that would have made
// the new elements of the view.  Edge 0 is that of the base before the write, the others are those
// of `inner` from its edge 1 on.
class WriteNode final : public Node {
 public:
  WriteNode(TensorMeta base, Edge before, std::vector<ViewStep> steps,
            std::shared_ptr<CallNode> inner);
  std::vector<Tensor> back(std::span<const Tensor> gradients) override;
  void release() override;

 private:
  Tensor copy_of(const Tensor& gradient) const;

  TensorMeta base_;  // may contain symbols of the call `within`
  bool is_row_major_;
  std::vector<ViewStep> steps_;
  std::shared_ptr<CallNode> inner_;
};

}  // namespace vitro::autograd
