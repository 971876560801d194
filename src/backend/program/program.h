// A graph as the back end sees it: compute nodes, each with an iteration space, and how they read
// each other at an index.
//
// A compute node does a graph node, or a part of one: each operand of a cat has a compute node that
// writes its slice of the result; a scatter has one that copies and one that overwrites, or the
// latter alone if its result may alias the input that it changes; an output that is a view, or that
// is written to an input, has one that copies.  Views and a few cheap nodes have none: their
// readers compute them inline.  A tensor without elements has none either, and a reduction of
// nothing (the sum of an empty row) is elementwise: its identity, without reads.
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
  scan,         // the same, and keeps every step
  sort,         // entire rows along the dimension that is `reduced`
  put,          // elements one after the other along `reduced`, where indices say
  product,      // mm, bmm
  opaque,       // a kernel of the user's, which reads and writes entire tensors
};

// What a compute node does for its graph node.
enum class ComputeRole : uint8_t {
  result,  // computes the node's result
  slice,   // writes operand `part` of a cat into its part of the result
  base,    // copies operand 0 of a scatter
  insert,  // writes operand 1 of a scatter over the copy, or over the input where it lies in place
  put,     // writes or adds operand `part` of a scatter by indices into the copy
  output,  // copies output `part` of the graph, which is a view or an input
  write,   // writes output `part` of the graph into the input that receives it
};

struct ComputeNode {
  graph::Value value;  // result, slice, base, insert: of the node; output, write: what is copied
  ComputeKind kind = ComputeKind::elementwise;
  ComputeRole role = ComputeRole::result;
  int part = 0;
  Index sizes;  // of the iteration space; of a reduction, scan or sort: of its operand
  std::vector<bool> reduced;  // of each of `sizes`, or scanned; empty where nothing is
  int cost = 0;               // of one element
  Expr offset = 0;            // slice: along the axis of the cat
};

// An element of a value.
struct Read {
  graph::Value value;
  Index index;
};

// What is read to put one element, and where it goes.
struct PutReads {
  Read source;
  std::vector<Read> indices;  // in the order of the indexed axes
  Index others;               // of the target, along the axes that are not indexed
};

class Program {
 public:
  // `results`: of each node, which of its op's results it gives (single_results.h); empty: the
  // first.
  explicit Program(const graph::Graph& graph, std::vector<uint32_t> results = {},
                   const MachineModel& machine = host_machine_model());

  const graph::Graph& graph() const { return *graph_; }
  // That its kernels are made for.
  const MachineModel& machine() const { return machine_; }
  const std::vector<ComputeNode>& compute_nodes() const { return compute_nodes_; }
  const ComputeNode& operator[](ComputeNodeId id) const { return compute_nodes_[id.n]; }

  // Which of its op's results a node gives.
  uint32_t result_of(graph::NodeId node) const { return results_.empty() ? 0 : results_[node.n]; }
  // Whether a caller gets the value of a node as a tensor of its own.
  bool is_output_value(graph::NodeId node) const { return is_output_value_[node.n]; }
  // Views and what is computed by each reader.
  bool is_inlined(graph::NodeId node) const { return inlined_[node.n]; }
  bool is_empty(graph::Value value) const;
  // The input that the result of a scatter aliases; any other node itself.
  graph::NodeId alias_target(graph::NodeId node) const { return alias_target_[node.n]; }
  // Whether a compute node changes an input.
  bool overwrites(ComputeNodeId id) const;
  // The element that a compute node writes for the index `at` of its sizes, of the scatter's result
  // or the input that it changes.
  Index written_at(ComputeNodeId id, const Index& at) const;
  // The graph nodes whose values a compute node makes: of an opaque call one for each result, in
  // order; of any other its own.
  std::span<const graph::NodeId> made_by(ComputeNodeId id) const { return made_[id.n]; }
  // The compute nodes that make the value of a graph node: one, or all slices of a cat.
  const std::vector<ComputeNodeId>& makers(graph::NodeId node) const { return makers_[node.n]; }
  // The operands that a compute node reads to compute its element at `index` (of its sizes),
  // through views and inlined nodes: inputs of the graph and results of compute nodes.
  std::vector<Read> reads_at(ComputeNodeId id, const Index& index) const;
  // What a read of a value reads: the value itself or, through views and inlined nodes, inputs and
  // results of compute nodes.
  void resolve(const Read& read, std::vector<Read>& out) const;
  // What a read of a view reads, the views on the way taken away.
  Read behind_views(Read read) const;
  // The index of the operand of a reduction: a reduction of nothing has a dimension of its own.
  Index operand_index(ComputeNodeId id, const Index& index) const;
  // Of a compute node that puts elements where indices say.
  PutReads put_reads(ComputeNodeId id, const Index& at) const;
  // Compute nodes that `id` needs done before it, each once: what it reads, and the
  // readers of an input that it overwrites.
  const std::vector<ComputeNodeId>& needs(ComputeNodeId id) const { return needs_[id.n]; }
  // The graph nodes that `id` reads, each once: inputs and results of other compute nodes.
  const std::vector<graph::NodeId>& sources(ComputeNodeId id) const { return sources_[id.n]; }
  // Less than those of the compute nodes that need it; those that write entire inputs come last, at
  // one position.
  uint32_t position(ComputeNodeId id) const { return position_[id.n]; }
  // Compute nodes that read what `id` makes.
  const std::vector<ComputeNodeId>& readers(ComputeNodeId id) const { return readers_[id.n]; }
  // Whether a caller gets what the compute node makes.
  bool is_output(ComputeNodeId id) const { return output_[id.n]; }
  // "add", "add (write back)".
  std::string name_of(ComputeNodeId id) const;

 private:
  void build();
  void decide_inlining();
  void add_graph_nodes();
  void add_output_copies();
  void add_compute_node(ComputeNode compute_node);
  void add_compute_nodes(ComputeNode compute_node);
  void add_result(graph::NodeId node);
  void add_slices(ComputeNode compute_node);
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
  std::vector<bool> inlined_, is_output_value_;
  std::vector<graph::NodeId> alias_target_;
  std::vector<ComputeNode> compute_nodes_;
  std::vector<std::vector<ComputeNodeId>> makers_, needs_, readers_;
  std::vector<std::vector<graph::NodeId>> made_, sources_;
  std::vector<std::vector<ComputeNodeId>> node_readers_;  // by node: the compute nodes that read it
  std::vector<uint32_t> position_;
  std::vector<bool> output_;
};

// ---- index arithmetic ----

Index sizes_of(const TensorMeta& meta);
// Whether a size is 0, so that there are no elements.
bool is_empty(const TensorMeta& meta);
// Whether the node reduces (a reduction, a product) and has nothing to reduce.
bool reduces_nothing(const graph::Graph& graph, graph::NodeId node);
// The index of an operand that is broadcast to the sizes that `index` belongs to.
Index broadcast_index(const TensorMeta& operand, const TensorMeta& result, const Index& index);
// Row-major number of an element, and back.
Expr flatten(const Index& index, const Index& sizes);
Index unflatten(Expr flat, const Index& sizes);
Expr count_of(const Index& sizes);
// The strides that a new tensor gets: those of `meta` where they leave no holes, else row-major.
Index strides_of_new(const TensorMeta& meta);
// sum of index * stride
Expr element_of(const Index& index, const Index& strides);

// Of the node's operands.
Ranks ranks_of(const graph::Graph& graph, const graph::Node& node);
// `others` with the indirect indices among them: those of all dimensions.
Index with_indirect(const Index& others, const PickedAxes& axes, std::span<const Expr> indirect);
// Of a gather: its table where the indices of the indexed axes are `indirect`, then the indices, in
// the order of the axes.
std::vector<Read> gathered_at(const graph::Graph& graph, graph::NodeId node, const Index& index,
                              std::span<const Expr> indirect);
// The operands of a node at an index of its result, as its kind says; operands that are numbers or
// left out are skipped.  Those of a window may lie outside of the operand.  `indirect` stands for
// every index that a gather reads from memory.
std::vector<Read> operands_at(const graph::Graph& graph, graph::NodeId node, const Index& index,
                              Expr indirect);

}  // namespace vitro::backend
