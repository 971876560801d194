// What the lowering of every kind of group shares: elements of values as loop values, buffers,
// numbers and indirect indices of the kernel that is being made.
#pragma once

#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "backend/lower/buffer_assignment.h"
#include "backend/program/element.h"
#include "loop/kernel.h"

namespace vitro::backend {

// A kernel of the user's: the node that calls it, and where its tensors lie.
struct OpaqueKernel {
  struct TensorBuffer {
    graph::Value value;
    BufferId buffer;
    Index strides;
  };
  graph::NodeId node;
  std::vector<TensorBuffer> tensors;  // those among the operands, in order, then the results
};

// A kernel, and what its parameters stand for.
struct LoweredKernel {
  loop::Kernel kernel;
  std::vector<BufferId> buffers;             // of kernel.buffers
  std::vector<Expr> offsets;                 // of the buffers, in elements; empty: all are 0
  std::vector<graph::NodeId> numbers;        // graph inputs, of kernel.numbers
  std::vector<ComputeNodeId> compute_nodes;  // whose kernel it is
  std::optional<OpaqueKernel> opaque;        // then no code is generated, and `kernel` has no body
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

  // The value that a compute node computes at `at` of its sizes, in the dtype of what it writes. Of
  // a reduction, a scan or a sort: what it reads.
  loop::Value compute(ComputeNodeId compute_node, const Index& at);
  // The store of a stored compute node's value.
  loop::Statement store(ComputeNodeId compute_node, const Index& at, loop::Value value);
  // What stands for the result of a reduction or a product from now on.
  void define(ComputeNodeId compute_node, loop::Value value);
  // A stored compute node's elements go to `element` of scratch, not to memory.
  void store_in_scratch(ComputeNodeId compute_node, int row, Expr element);
  // A new scratch row; its number as a buffer.
  int add_row(std::string name, DType dtype, Expr size);
  int new_variable() { return out_.kernel.variables++; }
  // The kernel's number of a buffer.
  int buffer(BufferId id, bool written = false);
  BufferId buffer_id(int number) const { return out_.buffers[static_cast<size_t>(number)]; }
  // Forgets elements that were read at other indices (when the loops are chosen anew).
  void start_over();

  const Program& program() const { return program_; }
  const BufferAssignment& assignment() const { return assignment_; }
  const Group& group() const { return group_; }
  loop::Kernel& kernel() { return out_.kernel; }
  void set_opaque(OpaqueKernel opaque) { out_.opaque = std::move(opaque); }
  LoweredKernel take();

 private:
  // A node, the index, and where it is read.
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
  loop::Value where_;  // reads are wanted; none: everywhere
  std::map<Key, loop::Value> known_;
  std::unordered_map<uint32_t, loop::Value> defined_;              // by node
  std::unordered_map<uint32_t, std::pair<int, Expr>> in_scratch_;  // by compute node
};

// ---- what an entire group becomes, by kind ----

LoweredKernel lower_pointwise(const Program&, const BufferAssignment&, const Group&);
LoweredKernel lower_put(const Program&, const BufferAssignment&, const Group&);
LoweredKernel lower_sort(const Program&, const BufferAssignment&, const Group&);
LoweredKernel lower_scan(const Program&, const BufferAssignment&, const Group&);
LoweredKernel lower_rows(const Program&, const BufferAssignment&, const Group&);
LoweredKernel lower_opaque(const Program&, const BufferAssignment&, const Group&);
// What such a group does for one index of the dimensions that are kept, as its iteration space
// names them.
loop::Block lower_sweeps(KernelBuilder&, const Group&);
// Products that hand rows to each other.
LoweredKernel lower_chain(const Program&, const BufferAssignment&, const Group&);
// May add a buffer for the packed operand, and gives the kernel that fills it.
std::vector<LoweredKernel> lower_product(const Program&, BufferAssignment&, const Group&);
// The kernels of a group, in order.
std::vector<LoweredKernel> lower(const Program&, BufferAssignment&, const Group&);

// Fills in bytes and flops.
void estimate(loop::Kernel& kernel);

}  // namespace vitro::backend
