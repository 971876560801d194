// A node of the trace tree of a function: an op call as it was recorded.  The path from a start to
// a node is all that a segment has done so far, so a node stands for its whole path.
//
//   entry ─► start(x: f32[4]) ─next─► exp(slot 0) ─next─► add(slot 1, slot 0) ─next─► ...
//                │fork                                        │fork (another op, number, size)
//                ▼                                            ▼
//            start(x: f32[s0])                              mul(slot 1, slot 0) ─► ...
//
// Tensors have slots, numbered along the path: the results of nodes, and external inputs, which
// take the next slot where they are first seen.  Nodes are never changed once linked, and live as
// long as the tree; `next` and `fork` only ever go from null to something, and variants are only
// added.
#pragma once

#include <atomic>
#include <memory>
#include <source_location>
#include <string>
#include <vector>

#include "vitro/base/called_as.h"
#include "vitro/core/interpreter.h"
#include "vitro/core/op.h"
#include "vitro/graph/graph.h"

namespace vitro::capture {

constexpr uint32_t no_slot = ~0U;

// A tensor that the segment does not make (an argument, a parameter), as it must be in later calls.
// Symbols in `meta` get their values here, or must have the value they have already.  The offset is
// 0: it counts from the tensor's own, so that one recorded input fits windows anywhere in a
// storage; Tensor::meta adds what it is in the call.
struct ExternalInput {
  uint32_t slot = 0;
  TensorMeta meta;
  bool requires_grad = false, is_parameter = false;
  uint32_t parameter_name = 0;  // base/module_path.h; not compared
  bool symbolic = false;        // some size or stride is
  bool row_major = false;       // then: its strides follow from its sizes
  uint32_t shares = no_slot;    // the first slot whose storage it shares
  int64_t shared_distance = 0;  // then: how many bytes it begins after that one
};

struct NodeOperand {
  enum class Kind : uint8_t {
    none,
    slot,      // a tensor that has its slot already
    external,  // seen for the first time: the next of the node's external inputs
    number,    // this number
    counted,   // any whole number: it gives the symbol that `number` is its value
    varying,   // any number of this kind: an input of the graph
  };
  Scalar number;
  uint32_t slot = no_slot;  // slot, external; varying: its index among the call's numbers
  Kind kind = Kind::none;
};

// What a segment that ends after a node is compiled to; see segment_variant.h.
struct SegmentVariant;

struct TraceNode {
  // Compared with each call.
  const OpDef* op = nullptr;  // null: a start
  const NodeOperand* operands = nullptr;
  AttrsView attrs;  // of attrs_owned
  uint16_t operand_count = 0;
  bool in_place = false;
  bool plain = true;  // nothing but slots and numbers to compare
  // A composite whose numbers vary: calls of the op are taken as the calls that it is written in.
  // Such a node is one of the forks, and lies on no path.
  bool expands = false;
  Modes modes;  // at the start of a function, and of each op
  // Handed out.
  uint16_t result_count = 0;  // new slots: none for a write in place
  uint32_t first_slot = 0;
  const TensorMeta* results = nullptr;
  std::atomic<TraceNode*> next{nullptr}, fork{nullptr};
  // The rest.
  const TraceNode* parent = nullptr;  // null for starts
  uint32_t slots_after = 0, numbers_after = 0, depth = 0;
  std::vector<ExternalInput> inputs;
  std::vector<sym::Guard> guards;
  // What the function's own code asked since the node before.  It asks again in each call, so
  // nothing is checked; where the ways part this says why.
  std::vector<sym::Guard> asked;
  std::vector<sym::Expr> attr_symbols;  // symbols that the call's plain numbers give values
  // The size that the node's data decide, and what it is at most; none: nothing.
  sym::Expr data_size, data_bound;
  std::vector<NodeOperand> operands_owned;
  std::vector<TensorMeta>
      results_owned;  // of a write in place: what is written, before it is fitted
  Attrs attrs_owned;
  graph::SourceLocation place;
  std::source_location where;
  Called called;  // the function or composite of which the op is a part
  std::atomic<SegmentVariant*> variants{nullptr};

  // Points the compared members at the owned ones.
  void finish();
};

// Sizes and plain numbers among attributes that may vary, in order of the members.
std::vector<Size> sizes_in(AttrsView attrs);
// The same attributes but for those sizes.
bool same_but_sizes(AttrsView a, AttrsView b);
// But for sizes and fractions (eps, a scale).
bool same_but_numbers(AttrsView a, AttrsView b);
// The fractions among attributes.
std::vector<Scalar> fractions_in(AttrsView attrs);

// How many symbols and varying numbers the node has: of two nodes that a call could be recorded
// from, the one with more stands for more.
size_t generality(const TraceNode& node);

// The same place in the same file.
inline bool same_place(std::source_location a, std::source_location b) {
  return a.file_name() == b.file_name() && a.line() == b.line() && a.column() == b.column();
}

// A place of the program, as a segment comes to it for the n-th time.
struct Occurrence {
  std::source_location where;
  uint32_t nth = 0;
  bool operator==(const Occurrence& o) const { return nth == o.nth && same_place(where, o.where); }
};
struct OccurrenceHash {
  size_t operator()(const Occurrence& o) const {
    return reinterpret_cast<size_t>(o.where.file_name()) * 31 + o.where.line() * 1009 +
           o.where.column() * 101 + o.nth * 40503U;
  }
};

// Where the program called the op, or the function that the op is a part of.
inline std::source_location place_of(const TraceNode& node) {
  return node.called.from.line() != 0 ? node.called.from : node.where;
}

// The nodes after the start up to `last`, in order.
std::vector<const TraceNode*> path_to(const TraceNode& last);
const TraceNode& start_of(const TraceNode& last);

}  // namespace vitro::capture
