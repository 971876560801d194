// Extends the trace tree: a call that fits no node becomes a new node.  If it differs from an
// earlier node only in sizes and numbers, these become symbols and arguments.
//
// Invariants:
//   - A node is complete before it is linked, and immutable after that.
//   - If no node is linked (an error, another thread was first, a full tree), slots, symbols and
//     numbers are unchanged.
//   - If one is linked, its external inputs, symbols and numbers are bound, as after
//     Matcher::accept().
// Threads: that of its call.
#pragma once

#include <atomic>
#include <span>
#include <unordered_map>
#include <vector>

#include "capture/data_symbols.h"
#include "capture/expansion.h"
#include "capture/external_inputs.h"
#include "capture/generalise.h"
#include "capture/matcher.h"
#include "capture/remembered_metas.h"
#include "capture/slots.h"
#include "capture/symbols.h"
#include "capture/trace_tree.h"

namespace vitro::capture {

class Recorder {
 public:
  Recorder(TraceTree& tree, Slots& slots, CallValues& values, const DataSymbols& data,
           const RememberedMetas& remembered, const Matcher& matcher, const Expansion& expansion)
      : tree_(tree),
        slots_(slots),
        values_(values),
        data_(data),
        remembered_(remembered),
        matcher_(matcher),
        expansion_(expansion),
        thread_(&thread_state),
        names_(tree.last_symbol()) {}

  enum class Outcome : uint8_t { linked, another_was_first, tree_is_full };
  struct Recorded {
    TraceNode* node = nullptr;  // null unless linked
    Outcome outcome = Outcome::linked;
  };
  // Records `call` after the cursor, at `end`: the empty link after the nodes at `link`.  `asked`:
  // see TraceNode::asked.
  Recorded record(std::atomic<TraceNode*>& link, std::atomic<TraceNode*>& end, const OpCall& call,
                  std::span<const sym::Guard> asked);

 private:
  void fill(TraceNode& node, std::atomic<TraceNode*>& link, const OpCall& call);
  void record_operands(TraceNode& node, const OpCall& call, const Likeness& like);
  NodeOperand record_tensor(TraceNode& node, size_t i, const Likeness& like, const OpCall& call);
  ExternalInput new_input(const TensorImpl& impl, size_t i, const Likeness& like);
  NodeOperand record_number(TraceNode& node, const Scalar& number, const NodeOperand* before,
                            const OpCall& call);
  void record_attrs(TraceNode& node, const OpCall& call, const Likeness& like);
  void record_results(TraceNode& node, const OpCall& call);
  void name_data(TraceNode& node, TensorMeta& result);
  static void keep_new_guards(TraceNode& node, std::vector<sym::Guard> guards);
  Occurrence occurrence_of(const OpCall& call);
  bool may_be_dynamic() const { return tree_.options().dynamic.value_or(true); }

  TraceTree& tree_;
  Slots& slots_;
  CallValues& values_;
  const DataSymbols& data_;
  const RememberedMetas& remembered_;
  const Matcher& matcher_;
  const Expansion& expansion_;
  const ThreadState* thread_;
  NewSymbols names_;
  // How often the segment passed each location, up to `counted_to_`, the last recorded node.
  std::unordered_map<Occurrence, uint32_t, OccurrenceHash> came_by_;
  const TraceNode* counted_to_ = nullptr;
};

}  // namespace vitro::capture
