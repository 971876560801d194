// The backend's view of a graph: compute nodes, each with an iteration space, and the elements that
// they read for an index.
//
// A compute node computes a graph node, or a part of one: each operand of a cat has a compute node
// that writes its slice of the result, as do those of a cat that only another cat reads; a scatter
// has one that copies and one that overwrites, or only the latter if its result may alias the
// input; an output that is a view, or that is written to an input, has one that copies.  Views and
// some cheap nodes have none: their readers compute them inline.  Tensors without elements have
// none either.  A reduction of nothing (the sum of an empty row) is elementwise: its identity,
// without reads.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "backend/schedule/machine_model.h"
#include "vitro/graph/graph.h"

namespace vitro::backend {

using sym::Expr;
using Index = std::vector<Expr>;
using ComputeNodeId = Id<struct ComputeNodeTag>;
using InputId = Id<struct InputTag>;  // an index into graph.inputs()

enum class ComputeKind : uint8_t {
  elementwise,  // each element by itself
  reduction,    // reduces `reduced` of the dimensions of its operand
  scan,         // the same, but keeps every step
  sort,         // sorts entire rows along the `reduced` dimension
  put,          // writes elements at given indices, in order along `reduced`
  product,      // mm, bmm
  opaque,       // a user's kernel, which reads and writes entire tensors
};

// What a compute node does for its graph node.
enum class ComputeRole : uint8_t {
  result,  // computes the node's result
  slice,   // writes an operand of a cat, number `part`, into its part of the result
  base,    // copies operand 0 of a scatter
  insert,  // writes operand 1 of a scatter over the copy, or in place over the input
  put,     // writes or adds operand `part` of a scatter by indices into the copy
  output,  // copies output `part` of the graph, which is a view or an input
  write,   // writes output `part` of the graph into the input that receives it
};

struct ComputeNode {
  graph::Value value;  // the node's result; output, write: the value that is copied
  ComputeKind kind = ComputeKind::elementwise;
  ComputeRole role = ComputeRole::result;
  int part = 0;
  Index sizes;  // of the iteration space; for a reduction, scan or sort, of its operand
  std::vector<bool> reduced;  // by dimension: reduced or scanned; empty if none is
  int cost = 0;               // of one element
  graph::Value copied;        // slice: the operand
  Index offset;               // slice: of its first element in the result
};

// An element of a value.
struct Read {
  graph::Value value;
  Index index;
};

// The reads for putting one element, and its destination.
struct PutReads {
  Read source;
  std::vector<Read> indices;  // in the order of the indexed axes
  Index others;               // of the target, along the axes that are not indexed
};

class Program {
 public:
  // `results`: by node, the number of the op's result that it represents (single_results.h); empty:
  // all 0.
  explicit Program(const graph::Graph& graph, std::vector<uint32_t> results = {},
                   const MachineModel& machine = host_machine_model(), bool exact = true);

  const graph::Graph& graph() const { return *graph_; }
  // The target of the kernels.
  const MachineModel& machine() const { return machine_; }
  // Whether kernels must have the bits of eager.
  bool exact() const { return exact_; }
  const std::vector<ComputeNode>& compute_nodes() const { return compute_nodes_; }
  const ComputeNode& operator[](ComputeNodeId id) const { return compute_nodes_[id.n]; }

  // The number of the op's result that a node represents.
  uint32_t result_of(graph::NodeId node) const { return results_.empty() ? 0 : results_[node.n]; }
  // Whether the value of a node is returned to the caller as a tensor.
  bool is_output_value(graph::NodeId node) const { return is_output_value_[node.n]; }
  // Whether each reader computes the node inline: views and some cheap nodes, and a cat whose only
  // reader is a cat.
  bool is_inlined(graph::NodeId node) const { return inlined_[node.n]; }
  bool is_empty(graph::Value value) const;
  // The strides of a node's value in memory.
  Index strides_of(graph::NodeId node) const;
  // The input that the result of a scatter aliases, or the node itself.
  graph::NodeId alias_target(graph::NodeId node) const { return alias_target_[node.n]; }
  // Whether a compute node changes an input.
  bool overwrites(ComputeNodeId id) const;
  // The index that a compute node writes for the index `at` of its sizes, in the result of the
  // scatter or the input that it changes.
  Index written_at(ComputeNodeId id, const Index& at) const;
  // The graph nodes whose values a compute node makes: its own, or, for an opaque call, one per
  // result in order.
  std::span<const graph::NodeId> made_by(ComputeNodeId id) const { return made_[id.n]; }
  // The compute nodes that make the value of a graph node: one, or all slices of a cat.
  const std::vector<ComputeNodeId>& makers(graph::NodeId node) const { return makers_[node.n]; }
  // The operands that a compute node reads to compute its element at `index` (of its sizes),
  // through views and inlined nodes: inputs of the graph and results of compute nodes.
  std::vector<Read> reads_at(ComputeNodeId id, const Index& index) const;
  // Appends to `out` the reads that a read of a value leads to: itself or, through views and
  // inlined nodes, of inputs and results of compute nodes.
  void resolve(const Read& read, std::vector<Read>& out) const;
  // Follows a read through views to the value below them.
  Read through_views(Read read) const;
  // The index of a reduction's operand, without the dimension that is added if the reduction has no
  // dimensions.
  Index operand_index(ComputeNodeId id, const Index& index) const;
  // The reads of a put node at `at`.
  PutReads put_reads(ComputeNodeId id, const Index& at) const;
  // What a slice, insert or put writes.
  graph::Value copied_by(ComputeNodeId id) const;
  // Compute nodes that must run before `id`, without duplicates: those that it reads, and the
  // readers of an input that it overwrites.
  const std::vector<ComputeNodeId>& needs(ComputeNodeId id) const { return needs_[id.n]; }
  // The graph nodes that `id` reads, without duplicates: inputs and results of other compute nodes.
  const std::vector<graph::NodeId>& sources(ComputeNodeId id) const { return sources_[id.n]; }
  // Position in a topological order of needs().  Nodes that write entire inputs come last, all at
  // the same position.
  uint32_t position(ComputeNodeId id) const { return position_[id.n]; }
  // Compute nodes that read the values of `id`.
  const std::vector<ComputeNodeId>& readers(ComputeNodeId id) const { return readers_[id.n]; }
  // Whether the compute node makes an output of the graph.
  bool is_output(ComputeNodeId id) const { return output_[id.n]; }
  // "add", "add (write back)".
  std::string name_of(ComputeNodeId id) const;

 private:
  void build();
  void decide_inlining();
  bool is_joined_again(graph::NodeId id, std::span<const graph::NodeId> users) const;
  bool is_packed(graph::NodeId id, const std::vector<std::vector<graph::NodeId>>& users) const;
  void add_graph_nodes();
  void add_output_copies();
  bool shows(graph::Value value, graph::NodeId input) const;
  void add_compute_node(ComputeNode compute_node);
  void add_compute_nodes(ComputeNode compute_node);
  void add_opaque_call(graph::NodeId first);
  void add_slices(ComputeNode slice, graph::NodeId cat);
  ComputeNode reduction_node(ComputeNode compute_node) const;
  ComputeNode insert_node(ComputeNode compute_node) const;
  ComputeNode put_node(ComputeNode compute_node) const;
  const TensorMeta& operand_of(const graph::Node& node, size_t i) const;
  void connect();
  void need(ComputeNodeId reader, ComputeNodeId made);
  void need_what_is_overwritten(ComputeNodeId id);
  bool order();

  const graph::Graph* graph_;
  std::vector<uint32_t> results_;
  MachineModel machine_;
  bool exact_;
  std::vector<bool> inlined_, is_output_value_;
  std::vector<graph::NodeId> alias_target_;
  std::vector<ComputeNode> compute_nodes_;
  std::vector<std::vector<ComputeNodeId>> makers_, needs_, readers_;
  std::vector<std::vector<graph::NodeId>> made_, sources_;
  std::vector<std::vector<ComputeNodeId>> node_readers_;  // by node: the compute nodes that read it
  std::vector<uint32_t> position_;
  std::vector<bool> output_;
  std::vector<std::vector<int>> memory_orders_;  // by node (layout.h)
};

// ---- index arithmetic ----

Index sizes_of(const TensorMeta& meta);
// Whether a size is the constant 0.
bool is_empty(const TensorMeta& meta);
// Whether the node is a reduction or a product over an empty operand.
bool reduces_nothing(const graph::Graph& graph, graph::NodeId node);
// The index in an operand that is broadcast to `result`, for an index of the latter.
Index broadcast_index(const TensorMeta& operand, const TensorMeta& result, const Index& index);
// Row-major number of an element, and back.
Expr flatten(const Index& index, const Index& sizes);
Index unflatten(Expr flat, const Index& sizes);
Expr count_of(const Index& sizes);
// The strides of a newly allocated tensor: those of `meta` if they are dense, otherwise row-major.
Index strides_of_new(const TensorMeta& meta);
// The sum of index * stride.
Expr element_of(const Index& index, const Index& strides);

// Ranks of the node's operands; -1 if not a tensor.
Ranks ranks_of(const graph::Graph& graph, const graph::Node& node);
// Inserts the indirect indices into `others` at their axes, which gives an index of all dimensions.
Index with_indirect(const Index& others, const IndexedAxes& axes, std::span<const Expr> indirect);
// The reads of a gather: its table with `indirect` as the indices of the indexed axes, followed by
// its index tensors, in the order of the axes.
std::vector<Read> gathered_at(const graph::Graph& graph, graph::NodeId node, const Index& index,
                              std::span<const Expr> indirect);
// The operands that a node reads for an index of its result; skips operands that are numbers or
// omitted.  Reads of a window may be out of range.  `indirect` replaces every index that a gather
// reads from memory.
std::vector<Read> operands_at(const graph::Graph& graph, graph::NodeId node, const Index& index,
                              Expr indirect);

}  // namespace vitro::backend
