// The buffer of each value, and the value's position in it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "backend/fuse/groups.h"
#include "backend/lower/consumer_layout.h"
#include "backend/program/operand.h"

namespace vitro::backend {

using BufferId = Id<struct BufferTag>;

enum class BufferKind : uint8_t {
  input,      // of the graph
  output,     // a new tensor
  temporary,  // of the arena
  packed,     // panels of a product's right operand, in the arena or kept with a parameter
};

struct BufferInfo {
  std::string name;
  DType dtype = DType::f32;
  BufferKind kind = BufferKind::temporary;
  InputId which;  // of an input
  Expr count;     // elements; unknown for an input
};

// A value in a buffer: element `index` is at the sum of index * stride, or at the position that
// `layout` gives.
struct Stored {
  BufferId buffer;
  Index strides;
  std::optional<ConsumerLayout> layout = {};
  Expr element(const Index& index) const;
};

class BufferAssignment {
 public:
  BufferAssignment(const Program& program, const Groups& groups);

  const std::vector<BufferInfo>& buffers() const { return buffers_; }
  // The location of an input tensor, or of the result of a stored compute node.
  const Stored& of(graph::NodeId node) const;
  // The element that a compute node writes for the index `at` into its sizes (into its result's
  // sizes if it is a reduction).
  Expr target(ComputeNodeId compute_node, const Index& at) const;
  BufferId target_buffer(ComputeNodeId compute_node) const;
  // The buffer of output `n` of the graph, if the output has no `writes`, with its layout.
  const Stored& output(size_t n) const { return outputs_[n]; }

  BufferId add(BufferInfo info);

  // Panels of a matrix in a buffer, packed once for all products that read them: their location,
  // and whether this call added them.
  struct PackedOperand {
    BufferId from;
    Matrix matrix;  // first index: k
    Expr k, n, batches;
    Expr taps = 1,
         tap_stride = 0;   // row tap * k + i is `tap_stride` after the one of the tap before
    int64_t winograd = 0;  // as in loop::Pack
    bool bf16x6 = false;
    int64_t joined = 1;
    Expr rows;  // of the panels
    friend bool operator==(const PackedOperand&, const PackedOperand&) = default;
  };
  std::pair<BufferId, bool> panels_of(const PackedOperand& operand);
  // Called when a kernel writes the buffer: later products need new panels.
  void forget_panels(BufferId from);

  // A copy of a convolution's operand with its channels contiguous, made once for all convolutions
  // that read it: its buffer, whose element type is `dtype`, and whether this call added it.
  struct ImageCopy {
    graph::Value of;
    Index sizes;
    int64_t times;  // that each channel is repeated
    Expr first;     // in the last dimension, where it may begin and end outside of the operand
    friend bool operator==(const ImageCopy&, const ImageCopy&) = default;
  };
  std::pair<BufferId, bool> image_of(const ImageCopy& copy, DType dtype);

 private:
  Stored make(const std::string& name, const TensorMeta& meta, BufferKind kind);
  const Program* program_;
  std::vector<BufferInfo> buffers_;
  std::vector<Stored> by_node_, outputs_;
  std::vector<bool> known_;
  std::vector<std::pair<PackedOperand, BufferId>> panels_;
  std::vector<std::pair<ImageCopy, BufferId>> images_;
};

}  // namespace vitro::backend
