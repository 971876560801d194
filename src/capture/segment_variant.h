// A segment that ends after a node, for one set of results that somebody still holds, and one set
// of answers to what was asked about sizes while it was compiled.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/symbols.h"
#include "capture/trace_node.h"
#include "vitro/base/verdict.h"
#include "vitro/capture/segment.h"
#include "vitro/events/name.h"
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

// The program of a segment as a graph, and how its ends are tied to slots.
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

struct SegmentVariant {
  // Guarded: ready for calls in which what was asked is answered alike.
  enum class State : uint8_t { building, ready, guarded, interpreted };
  std::vector<uint64_t> live;     // a bit per slot
  uint64_t made_by = 0;           // the number of that call
  std::vector<sym::Guard> asked;  // what its code asked after the last node; see TraceNode::asked
  const TraceNode* last = nullptr;
  std::string name;
  uint32_t number = 0;
  events::NameId label;  // the name in the recorder
  std::atomic<State> state{State::building};
  Plan plan;
  std::shared_ptr<CompiledSegment> segment;
  // What was asked while the segment was compiled, of the call's symbols.  Set before it is ready.
  std::vector<sym::Guard> guards;
  std::string why_not;
  const Code* why_code = nullptr;
  int64_t compile_ns = 0;
  std::atomic<uint64_t> runs{0}, run_ticks{0};
  std::atomic<bool> failure_said{false};  // that a run failed
  SegmentVariant* next = nullptr;

  bool is_compiled() const {
    const State now = state.load(std::memory_order_acquire);
    return now == State::ready || now == State::guarded;
  }
  // Whether what was compiled is for a call with these symbols.
  bool can_run(const Symbols& symbols) const {
    const State now = state.load(std::memory_order_acquire);
    return now == State::ready || (now == State::guarded && answers_alike(symbols));
  }
  // Whether a call with these symbols is to look at it, be it compiled or refused.
  bool suits(const Symbols& symbols) const {
    const State now = state.load(std::memory_order_acquire);
    return now == State::building || now == State::ready || answers_alike(symbols);
  }
  bool has_questions() const { return !guards.empty() || !plan.coverings.empty(); }
  bool answers_alike(const Symbols& symbols) const {
    return !broken_guard(symbols) && !broken_covering(symbols);
  }
  // The first that does not hold in a call, or null.  Not while it is building.
  const sym::Guard* broken_guard(const Symbols& symbols) const;
  const Covering* broken_covering(const Symbols& symbols) const;
};

// The graph of the path to `last`; `live`: the slots whose tensors are still wanted.  No, where
// what the path does to memory cannot be said in values; then it is interpreted.  Asks the thread's
// interpreter for values of symbols.
Verdict make_plan(const TraceNode& last, const std::vector<uint64_t>& live, Plan* plan);

}  // namespace vitro::capture
