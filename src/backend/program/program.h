// A graph as the back end sees it: items of work with an iteration space, and how each of them
// reads the others at an index.
//
// An item is a node, or a part of one: each operand of a cat is an item that writes its slice of
// the joined tensor; a scatter is an item that copies and one that overwrites, or the latter alone
// where its result may lie in the memory of the input that it changes; an output that is a view, or
// that an input receives, is an item that copies.  Views and a few cheap nodes are no items:
// whoever reads them computes them on the way.  What has no elements is no item either, and a fold
// of nothing (the sum of an empty row) is elementwise: its identity, without reads.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "backend/schedule/machine_model.h"
#include "vitro/graph/graph.h"

namespace vitro::backend {

using sym::Expr;
using Index = std::vector<Expr>;
using ItemId = Id<struct ItemTag>;
using InputId = Id<struct InputTag>;  // an index into graph.inputs()

enum class ItemKind : uint8_t {
  elementwise,  // each element by itself
  reduction,    // folds `reduced` of the dimensions of what it reads
  scan,         // the same, and keeps every step
  sort,         // rows along the dimension that is `reduced`, whole
  put,          // elements one after the other along `reduced`, where indices say
  product,      // mm, bmm
  opaque,       // a kernel of the user's, which reads and writes whole tensors
};

// What an item is for the node that it belongs to.
enum class Role : uint8_t {
  result,  // computes the node's result
  slice,   // writes operand `part` of a cat into its part of the result
  base,    // copies operand 0 of a scatter
  insert,  // writes operand 1 of a scatter over the copy, or over the input where it lies in place
  put,     // writes or adds operand `part` of a scatter by indices into the copy
  output,  // copies output `part` of the graph, which is a view or an input
  write,   // writes output `part` of the graph into the input that receives it
};

struct Item {
  graph::Value value;  // result, slice, base, insert: of the node; output, write: what is copied
  ItemKind kind = ItemKind::elementwise;
  Role role = Role::result;
  int part = 0;
  Index sizes;                // of the iteration space; of a fold, scan or sort: of its operand
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
  std::vector<Read> indices;  // in the order of the picked axes
  Index others;               // of the target, along the axes that are not picked
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
  const std::vector<Item>& items() const { return items_; }
  const Item& operator[](ItemId id) const { return items_[id.n]; }

  // Which of its op's results a node gives.
  uint32_t result_of(graph::NodeId node) const { return results_.empty() ? 0 : results_[node.n]; }
  // Whether a caller gets the value of a node as a tensor of its own.
  bool is_output_value(graph::NodeId node) const { return is_output_value_[node.n]; }
  // Views and what is computed by each reader.
  bool is_inlined(graph::NodeId node) const { return inlined_[node.n]; }
  bool is_empty(graph::Value value) const;
  // The input in whose memory the result of a scatter lies; any other node itself.
  graph::NodeId home(graph::NodeId node) const { return home_[node.n]; }
  // Whether an item changes an input.
  bool overwrites(ItemId item) const;
  // The element that an item writes for the index `at` of its sizes, of the scatter's result or the
  // input that it changes.
  Index written_at(ItemId item, const Index& at) const;
  // The nodes of an opaque item's call, one for each result in order, which the item makes; of any
  // other item its own node.
  std::span<const graph::NodeId> made_by(ItemId item) const { return made_[item.n]; }
  // Items that make the value of a node: one, or all slices of a cat.
  const std::vector<ItemId>& makers(graph::NodeId node) const { return makers_[node.n]; }
  // The operands that an item reads to compute its element at `index` (of its sizes), through
  // views and inlined nodes: inputs of the graph and results of items.
  std::vector<Read> reads_at(ItemId item, const Index& index) const;
  // What a read of a value reads: itself, or behind views and inlined nodes inputs and items.
  void resolve(const Read& read, std::vector<Read>& out) const;
  // What a read of a view reads, the views on the way taken away.
  Read behind_views(Read read) const;
  // The index of what a reduction folds: a reduction of nothing has a dimension of its own.
  Index operand_index(ItemId item, const Index& index) const;
  // Of an item that puts elements where indices say.
  PutReads put_reads(ItemId item, const Index& at) const;
  // Items that `item` needs done before it, each once: what it reads, and the readers of an input
  // that it overwrites.
  const std::vector<ItemId>& needs(ItemId item) const { return needs_[item.n]; }
  // The inputs and other items' nodes that `item` reads, each once.
  const std::vector<graph::NodeId>& sources(ItemId item) const { return sources_[item.n]; }
  // Before those of the items that need it; those that write whole inputs stand last, at one
  // position.
  uint32_t position(ItemId item) const { return position_[item.n]; }
  // Items that read what `item` makes.
  const std::vector<ItemId>& readers(ItemId item) const { return readers_[item.n]; }
  // Whether a caller gets what the item makes.
  bool is_output(ItemId item) const { return output_[item.n]; }
  // "add", "add (write back)".
  std::string name_of(ItemId item) const;

 private:
  void build();
  void decide_inlining();
  void add_node_items();
  void add_output_items();
  void add_item(Item item);
  void add_items(Item item);
  void add_result(graph::NodeId node);
  void add_slices(Item item);
  Item folded_item(Item item) const;
  Item inserted_item(Item item) const;
  Item put_item(Item item) const;
  const TensorMeta& operand_of(const graph::Node& node, size_t i) const;
  void connect();
  void need(ItemId reader, ItemId made);
  void need_what_is_overwritten(ItemId item);
  bool order();

  const graph::Graph* graph_;
  std::vector<uint32_t> results_;
  MachineModel machine_;
  std::vector<bool> inlined_, is_output_value_;
  std::vector<graph::NodeId> home_;
  std::vector<Item> items_;
  std::vector<std::vector<ItemId>> makers_, needs_, readers_;
  std::vector<std::vector<graph::NodeId>> made_, sources_;
  std::vector<std::vector<ItemId>> node_readers_;  // by node: the items that read it
  std::vector<uint32_t> position_;
  std::vector<bool> output_;
};

// ---- index arithmetic ----

Index sizes_of(const TensorMeta& meta);
// Whether a size is 0, so that there are no elements.
bool is_empty(const TensorMeta& meta);
// Whether the node folds (a reduction, a product) and has nothing to fold.
bool folds_nothing(const graph::Graph& graph, graph::NodeId node);
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
// `others` with the indices that are picked among them: those of all dimensions.
Index with_picked(const Index& others, const PickedAxes& axes, std::span<const Expr> picked);
// Of a gather: its table where the indices of the picked axes are `picked`, then the indices, in
// the order of the axes.
std::vector<Read> gathered_at(const graph::Graph& graph, graph::NodeId node, const Index& index,
                              std::span<const Expr> picked);
// The operands of a node at an index of its result, as its kind says; operands that are numbers or
// left out are skipped.  Those of a window may lie outside of the operand.  `picked` stands for
// every index that a gather reads from memory.
std::vector<Read> operands_at(const graph::Graph& graph, graph::NodeId node, const Index& index,
                              Expr picked);

}  // namespace vitro::backend
