// The plan of a segment: the graph of its path, and how inputs and outputs map to slots.  Made in
// passes:
//   functionalize   turns the path, which reads and writes memory, into a graph of values
//   bind_results    adds outputs: held results, data sizes, written inputs
//   keep_less       leaves out what gradients can compute again (if they are computed later)
//   prune           keeps what the outputs need, and renames symbols
//
// A pure function of the path, the set of held results and the values of symbols: two threads may
// make the same plan concurrently.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "capture/symbols.h"
#include "capture/trace_node.h"
#include "vitro/base/verdict.h"
#include "vitro/graph/graph.h"

namespace vitro::capture {

// How a deferred tensor is materialized: as a window on a graph output or on an external input.
struct ResultBinding {
  uint32_t slot = 0;
  int output = -1;             // index of a graph output, or
  uint32_t outside = no_slot;  // the slot of an external input
  uint32_t memory = 0;         // the slot of the tensor whose memory it is a window of
  bool whole = false;          // the output itself, not a view of it
  bool symbolic = false;
  bool sized_by_data = false;  // later segments treat it as an ordinary tensor
  const TensorMeta* meta = nullptr;
  Ints sizes, strides;  // unless symbolic
  int64_t offset = 0;   // relative to the output's or external input's offset
};

// Whether elements of a written window overlap; a condition on the calls that the plan is valid
// for.
struct Covering {
  const TensorMeta* window = nullptr;
  bool answer = false;
  bool holds(const Symbols& symbols) const;
};

struct Recompute;

// A segment as a graph, and how its inputs and outputs map to slots.
struct Plan {
  struct Input {
    uint32_t slot = no_slot;
    uint32_t number = no_slot;      // or an index among the call's numbers
    std::optional<Size> base = {};  // length of a base that begins at the slot's tensor
  };
  graph::Graph graph;
  std::vector<Input> inputs;
  size_t base_count = 0;                   // inputs that are bases
  std::vector<sym::Expr> symbols;          // the call's symbols, in the order of graph.symbols()
  std::vector<const TensorMeta*> outputs;  // of the outputs that are new tensors
  std::vector<ResultBinding> results;
  // Nodes with a data size, and the outputs whose first size it is.
  std::vector<std::pair<const TraceNode*, size_t>> data;
  std::vector<uint32_t> written;  // slots of external inputs
  // Overlap checks of written windows whose answer depends on symbols.
  std::vector<Covering> coverings;
  // Results that only gradients need and that are computed again then; null: none.
  std::shared_ptr<const Recompute> again;
  bool empty() const { return graph.outputs().empty(); }
};

// The program of these results, and what it reads.
struct Recompute {
  struct Source {
    int output = -1;         // of the plan, or else
    Plan::Input input = {};  // what an input of the plan would be
  };
  struct Result {
    size_t number = 0;  // of an output of `graph`
    ResultBinding tensor;
    // The dimensions of the output in the order of those of the tensor; empty: the tensor has the
    // elements of the output in their order, `reshaped` or with its sizes and strides.
    std::vector<int64_t> permuted;
    bool reshaped = false;
  };
  graph::Graph graph;
  std::vector<sym::Expr> symbols;  // as in Plan
  std::vector<Source> sources;     // of the inputs of `graph`
  std::vector<Result> results;
  std::deque<TensorMeta> metas;  // of outputs of the plan that are no tensors of the call
  int64_t needed_bytes = 0, kept_bytes = 0;  // by the sizes of the recorded call
};

// Makes the plan of the path to `last`; `live`: a bit per slot, set if its tensor is still held;
// `saved`: see SegmentVariant::saved; `memory_budget`: that of CompileOptions; `value_of`: the
// values of symbols in the current call.  Returns no if the memory effects of the path cannot be
// expressed as values; it is then interpreted.
Verdict make_plan(const TraceNode& last, const std::vector<uint64_t>& live,
                  const std::vector<uint64_t>& saved, double memory_budget, const ValueOf& value_of,
                  Plan* plan);

}  // namespace vitro::capture
