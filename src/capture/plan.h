// The plan of a segment: the graph of its path, and how its inputs and outputs are tied to slots.
// Made in three passes:
//   functionalize   the path, which reads and writes memory, as a graph of values
//   bind_results    its outputs: what is held, what data decide, what is written
//   prune           what the outputs need, with symbols of its own
//
// A pure function of the path, the set of held results and the values of symbols: two threads may
// make the same plan at once.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "capture/symbols.h"
#include "capture/trace_node.h"
#include "vitro/base/verdict.h"
#include "vitro/graph/graph.h"

namespace vitro::capture {

// How a deferred tensor is materialized: as a window on an output of the graph or on an external
// input.
struct ResultBinding {
  uint32_t slot = 0;
  int output = -1;             // an output of the graph, or
  uint32_t outside = no_slot;  // a slot of a tensor from outside
  bool whole = false;          // the output itself, not a view of it
  bool symbolic = false;
  bool sized_by_data = false;  // to later segments it is a tensor like any other
  const TensorMeta* meta = nullptr;
  Ints sizes, strides;  // where not symbolic
  int64_t offset = 0;   // from the output's or the outside tensor's own
};

// Whether elements of a window that is written are the same memory.
struct Covering {
  const TensorMeta* window = nullptr;
  bool answer = false;
  bool holds(const Symbols& symbols) const;
};

// The program of a segment as a graph, and how its inputs and outputs are tied to slots.
struct Plan {
  struct Input {
    uint32_t slot = no_slot;
    uint32_t number = no_slot;      // or this of the call's numbers
    std::optional<Size> base = {};  // as many elements from where the slot's tensor begins
  };
  graph::Graph graph;
  std::vector<Input> inputs;
  size_t base_count = 0;           // inputs that are bases
  std::vector<sym::Expr> symbols;  // the call's symbols that give graph.symbols() their values
  std::vector<const TensorMeta*> outputs;  // layouts of the outputs that are new tensors
  std::vector<ResultBinding> results;
  // Nodes whose data decide a size, and the outputs whose first size it is.
  std::vector<std::pair<const TraceNode*, size_t>> data;
  std::vector<uint32_t> written;  // tensors from outside
  // What was asked of windows that are written, where other values might answer otherwise.
  std::vector<Covering> coverings;
  bool empty() const { return graph.outputs().empty(); }
};

// The graph of the path to `last`; `live`: a bit for each slot whose tensor is still wanted;
// `value_of`: the values of symbols in the call that asks.  No, where what the path does to memory
// cannot be said in values; then it is interpreted.
Verdict make_plan(const TraceNode& last, const std::vector<uint64_t>& live, const ValueOf& value_of,
                  Plan* plan);

}  // namespace vitro::capture
