// A node of a function's trace tree: a recorded op call.  The path from a start to a node is
// everything the segment has done so far, so a node represents its whole path.
//
//   entry ─► start(x: f32[4]) ─next─► exp(slot 0) ─next─► add(slot 1, slot 0) ─next─► ...
//                │fork                                        │fork (another op, number, size)
//                ▼                                            ▼
//            start(x: f32[s0])                              mul(slot 1, slot 0) ─► ...
//
// Tensors have slots, numbered along the path: results of nodes, and external inputs, which take
// the next slot when first seen.  Nodes are immutable once linked and live as long as the tree,
// except that `next` and `fork` go from null to a node once, and variants are added.
#pragma once

#include <atomic>
#include <memory>
#include <source_location>
#include <string>
#include <vector>

#include "vitro/base/called_as.h"
#include "vitro/base/function_ref.h"
#include "vitro/core/interpreter.h"
#include "vitro/core/op.h"
#include "vitro/graph/graph.h"

namespace vitro::capture {

constexpr uint32_t no_slot = ~0U;

// In a set of slots, a bit for each; those after its end are not in it.
inline bool has_slot(const std::vector<uint64_t>& set, uint32_t slot) {
  return slot / 64 < set.size() && (set[slot / 64] >> slot % 64 & 1) != 0;
}

// A tensor that the segment does not make (an argument, a parameter), with the conditions on it in
// later calls.  Symbols in `meta` are bound here, or must equal their earlier value.  The offset is
// 0, relative to the tensor's own, so that one recorded input fits windows anywhere in a storage;
// Tensor::meta adds the call's offset.
struct ExternalInput {
  uint32_t slot = 0;
  TensorMeta meta;
  bool requires_grad = false, is_parameter = false;
  uint32_t parameter_name = 0;  // base/module_path.h; not compared
  bool symbolic = false;        // some size or stride is symbolic
  bool row_major = false;       // strides follow from sizes
  uint32_t shares = no_slot;    // the first slot with the same storage
  int64_t shared_distance = 0;  // in bytes, from that slot's tensor
};

struct NodeOperand {
  enum class Kind : uint8_t {
    none,
    slot,      // a tensor that already has a slot
    external,  // first seen here: the node's next external input
    number,    // this number
    counted,   // any integer: binds the symbol that is `number`
    varying,   // any number of this kind: a graph input
  };
  Scalar number;
  uint32_t slot = no_slot;  // of slot, external; for varying, the index among the call's numbers
  Kind kind = Kind::none;
};

// A compiled segment that ends after a node; see segment_variant.h.
struct SegmentVariant;

struct TraceNode {
  // Compared with each call.
  const OpDef* op = nullptr;  // null: a start node
  const NodeOperand* operands = nullptr;
  AttrsView attrs;  // of attrs_owned
  uint16_t operand_count = 0;
  bool in_place = false;
  bool plain = true;  // only slots and numbers to compare
  bool is_view = false;
  // A composite whose numbers vary, or whose code asks for data sizes: it is captured as the ops
  // that it is written with.  Such a node is one of the forks, and is not on any path.
  bool expands = false;
  Modes modes;  // of the thread, at a start and at each op
  // Returned to the program.
  uint16_t result_count = 0;  // new slots: 0 for an in-place write
  uint32_t first_slot = 0;
  const TensorMeta* results = nullptr;
  std::atomic<TraceNode*> next{nullptr}, fork{nullptr};
  // The rest.
  const TraceNode* parent = nullptr;  // null for starts
  uint32_t slots_after = 0, numbers_after = 0, depth = 0;
  std::vector<ExternalInput> inputs;
  std::vector<sym::Guard> guards;
  // Questions of the function's own code since the previous node.  It asks them again in each call,
  // so they are not checked; they explain why paths diverge.
  std::vector<sym::Guard> asked;
  std::vector<sym::Expr> attr_symbols;  // bound by plain numbers of the call
  // The node's data size and its upper bound; undefined if it has none.
  sym::Expr data_size, data_bound;
  std::vector<NodeOperand> operands_owned;
  std::vector<TensorMeta>
      results_owned;  // for an in-place write: the value before it is fitted to the target
  Attrs attrs_owned;
  graph::SourceLocation location;  // of `where`, with the module path
  std::source_location where;      // the call that was recorded
  Called called;                   // the function or composite that the op is part of
  std::atomic<SegmentVariant*> variants{nullptr};

  // Points the compared members at the owned ones.
  void finish();
};

// Fetches what is compared with the call of a node, and where its successor starts, into the cache:
// the nodes of a large program leave it between two calls of the program.
inline void prefetch(const TraceNode& node) {
  constexpr size_t of_line = 64 / sizeof(NodeOperand);
  for (size_t i = 0; i < node.operand_count; i += of_line) __builtin_prefetch(node.operands + i);
  __builtin_prefetch(node.results);
  if (const TraceNode* next = node.next.load(std::memory_order_relaxed)) {
    __builtin_prefetch(next);
    __builtin_prefetch(&next->next);
  }
}

// Sizes and integers among the attributes that may vary, in member order.
std::vector<Size> sizes_in(AttrsView attrs);
// The symbols and expressions of them among the attributes and numbers of a call.
std::vector<Size> symbolic_sizes_in(const OpCall& call);
// Passes on the call with these sizes mapped.
void map_sizes(const OpCall& call, const SizeMap& map, FunctionRef<void(const OpCall&)> pass_on);
// Equality, ignoring those sizes.
bool same_but_sizes(AttrsView a, AttrsView b);
// Equality, ignoring sizes and floating-point numbers (eps, a scale).
bool same_but_numbers(AttrsView a, AttrsView b);
// The floating-point numbers among the attributes.
std::vector<Scalar> fractions_in(AttrsView attrs);

// The number of symbols and varying numbers of a node.  Of two nodes that a call could be recorded
// from, the one with more is more general.
size_t generality(const TraceNode& node);

// The same location in the same file.
inline bool same_location(std::source_location a, std::source_location b) {
  return a.file_name() == b.file_name() && a.line() == b.line() && a.column() == b.column();
}

// The n-th time that a segment passes a location of the program.
struct Occurrence {
  std::source_location where;  // the call that was recorded
  uint32_t nth = 0;
  bool operator==(const Occurrence& o) const {
    return nth == o.nth && same_location(where, o.where);
  }
};
struct OccurrenceHash {
  size_t operator()(const Occurrence& o) const {
    return reinterpret_cast<size_t>(o.where.file_name()) * 31 + o.where.line() * 1009 +
           o.where.column() * 101 + o.nth * 40503U;
  }
};

// Where the program called the op, or the function that the op is a part of.
inline std::source_location location_of(const TraceNode& node) {
  return node.called.from.line() != 0 ? node.called.from : node.where;
}

// The nodes after the start up to `last`, in order.
std::vector<const TraceNode*> path_to(const TraceNode& last);
const TraceNode& start_of(const TraceNode& last);

}  // namespace vitro::capture
