// Shared by the lowering of all kinds of groups: elements of values as loop values, and the
// buffers, numbers and indirect indices of the kernel being built.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "backend/lower/buffer_assignment.h"
#include "backend/program/element.h"
#include "loop/kernel.h"

namespace vitro::backend {

// A user's kernel: the node that calls it, and the locations of its tensors.
struct OpaqueKernel {
  struct TensorBuffer {
    graph::Value value;
    std::optional<BufferId> buffer;  // none if the tensor is empty
    Index strides;
  };
  graph::NodeId node;
  std::vector<TensorBuffer> tensors;  // tensors among the operands, in order, then the results
};

// A kernel and the arguments for its parameters.
struct LoweredKernel {
  loop::Kernel kernel;
  std::vector<BufferId> buffers;             // of kernel.buffers
  std::vector<Expr> offsets;                 // of the buffers, in elements; empty: all are 0
  std::vector<graph::NodeId> numbers;        // graph inputs, of kernel.numbers
  std::vector<ComputeNodeId> compute_nodes;  // that the kernel computes
  std::optional<OpaqueKernel> opaque;  // if set, no code is generated and `kernel` has no body
  // The buffer of which the index is an element; nothing if it is computed.
  std::optional<BufferId> given(const loop::IndirectIndex& index) const {
    if (index.given < 0) return std::nullopt;
    return buffers[static_cast<size_t>(index.given)];
  }
};

class KernelBuilder : public ElementSource {
 public:
  KernelBuilder(const Program& program, const BufferAssignment& assignment, const Group& group);

  loop::Pool& pool() override { return *out_.kernel.pool; }
  loop::Value read(graph::Value value, const Index& index) override;
  loop::Value read_where(graph::Value value, const Index& index, loop::Value condition) override;
  loop::Value number(graph::NodeId input) override;
  Expr indirect_index(graph::NodeId node, loop::Value index, const IndexedDimension& of) override;
  loop::Value not_zero(graph::NodeId node, loop::Value divisor) override;

  // The value that a compute node computes at index `at` into its sizes, in the dtype that it
  // writes. For a reduction, a scan or a sort: the element that it reads.
  loop::Value compute(ComputeNodeId compute_node, const Index& at);
  // The store of a stored compute node's value.
  loop::Statement store(ComputeNodeId compute_node, const Index& at, loop::Value value);
  // Sets the value that later reads of a reduction's or product's result use.
  void define(ComputeNodeId compute_node, loop::Value value);
  // Stores a stored compute node's elements at `element` of a scratch row, not in memory.
  void store_in_scratch(ComputeNodeId compute_node, int row, Expr element);
  // Adds a scratch row; returns its buffer number.
  int add_row(std::string name, DType dtype, Expr size);
  int new_variable() { return out_.kernel.variables++; }
  // The kernel's number of a buffer.
  int buffer(BufferId id, bool written = false);
  BufferId buffer_id(int number) const { return out_.buffers[static_cast<size_t>(number)]; }
  // Discards elements that were read at other indices (when the loops change).
  void start_over();

  const Program& program() const { return program_; }
  const BufferAssignment& assignment() const { return assignment_; }
  const Group& group() const { return group_; }
  loop::Kernel& kernel() { return out_.kernel; }
  void set_opaque(OpaqueKernel opaque) { out_.opaque = std::move(opaque); }
  LoweredKernel take();

 private:
  // A node, the index, and the condition of the read.
  struct Key {
    uint32_t node;
    const loop::Node* where;
    std::vector<const sym::Node*> index;
    auto operator<=>(const Key&) const = default;
  };
  loop::Value element_of_node(graph::NodeId node, const Index& index);
  loop::Value load(const Stored& stored, DType dtype, const Index& index);
  std::string location_of(graph::NodeId node) const;

  const Program& program_;
  const BufferAssignment& assignment_;
  const Group& group_;
  LoweredKernel out_;
  loop::Value where_;  // lanes whose reads are needed; none: all
  std::map<Key, loop::Value> known_;
  std::unordered_map<uint32_t, loop::Value> defined_;              // by node
  std::unordered_map<uint32_t, std::pair<int, Expr>> in_scratch_;  // by compute node
};

// ---- lowering of an entire group, by kind ----

LoweredKernel lower_pointwise(const Program&, const BufferAssignment&, const Group&);
// Adds loops over an iteration space to a kernel; `stores_at` gives the stores for an index of it.
void add_loops(KernelBuilder&, const Index& space,
               const std::function<loop::Block(const Index&)>& stores_at);
LoweredKernel lower_put(const Program&, const BufferAssignment&, const Group&);
LoweredKernel lower_sort(const Program&, const BufferAssignment&, const Group&);
LoweredKernel lower_scan(const Program&, const BufferAssignment&, const Group&);
LoweredKernel lower_rows(const Program&, const BufferAssignment&, const Group&);
LoweredKernel lower_opaque(const Program&, const BufferAssignment&, const Group&);
// The body of a group of reductions for one index of the kept dimensions, with the names of the
// group's iteration space.
loop::Block lower_sweeps(KernelBuilder&, const Group&);
// A chain of products.
LoweredKernel lower_chain(const Program&, const BufferAssignment&, const Group&);
// May add buffers for operands that are copied or packed; the first kernels fill them.
std::vector<LoweredKernel> lower_product(const Program&, BufferAssignment&, const Group&);
std::vector<LoweredKernel> lower_convolution(const Program&, BufferAssignment&, const Group&);
std::vector<LoweredKernel> lower_convolution_weights(const Program&, BufferAssignment&,
                                                     const Group&);
// The kernels of a group, in order.
std::vector<LoweredKernel> lower(const Program&, BufferAssignment&, const Group&);

// Fills in bytes and flops.
void estimate(loop::Kernel& kernel);

}  // namespace vitro::backend
