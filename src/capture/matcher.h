// Compares op calls with the trace tree, and holds the cursor: the node that the call has reached.
//
// Invariants:
//   - The path to the cursor is what the segment has done so far: its slots, numbers and symbols
//     are those of this call.
//   - The cursor is null if nothing is deferred: before the call begins, after it ends, and once a
//     limit was reached.
//   - A failed comparison leaves symbols and numbers unchanged; it may leave tensors in slots past
//     the cursor's, which have no meaning.
// Threads: that of its call.
#pragma once

#include <atomic>
#include <cstdint>

#include "capture/data_symbols.h"
#include "capture/slots.h"
#include "capture/symbols.h"
#include "capture/trace_node.h"

namespace vitro::capture {

class Matcher {
 public:
  Matcher(Slots& slots, CallValues& values, const DataSymbols& data)
      : slots_(slots), values_(values), data_(data), thread_(&thread_state) {}

  TraceNode* cursor() const { return cursor_; }
  void move_to(TraceNode* node) {
    cursor_ = node;
    if (!node) return;
    if (const TraceNode* next = node->next.load(std::memory_order_acquire)) prefetch(*next);
  }

  // The node after the cursor, if it is plain (only slots and numbers to compare) and fits; null:
  // use find().  Replay spends its time here.
  TraceNode* plain_next(const OpCall& call) const {
    TraceNode* next = cursor_->next.load(std::memory_order_acquire);
    return next && next->plain && matches_plain(*next, call) ? next : nullptr;
  }

  struct Found {
    TraceNode* node = nullptr;               // the first that fits, accepted; or null
    std::atomic<TraceNode*>* end = nullptr;  // if null: the empty link at the end
    int64_t compared = 0;                    // number of nodes compared
    bool has_been_taken = false;             // an earlier segment of this call took one
  };
  // The node at `link` that fits the call.
  Found find(std::atomic<TraceNode*>& link, const OpCall& call);

  // Whether the call fits the node.  If so, symbols and numbers are bound, and accept() must bind
  // external inputs.
  bool matches(const TraceNode& node, const OpCall& call);
  void accept(const TraceNode& node);
  // Whether operands and attributes fit.  Leaves symbols and numbers bound; the caller undoes that.
  bool matches_but_guards(const TraceNode& node, const OpCall& call);
  // Whether op, operand count and the thread's modes equal those of the node.
  bool is_same_op(const TraceNode& node, const OpCall& call) const {
    return node.op == call.op && node.operand_count == call.operands.size() &&
           node.in_place == call.in_place && node.modes == thread_->modes;
  }

 private:
  bool matches_plain(const TraceNode& node, const OpCall& call) const;
  bool match_operands(const TraceNode& node, const OpCall& call);
  bool match_external(const ExternalInput& input, const TensorImpl& impl);
  bool match_attrs(const TraceNode& node, AttrsView attrs);

  Slots& slots_;
  CallValues& values_;
  const DataSymbols& data_;
  const ThreadState* thread_;
  TraceNode* cursor_ = nullptr;
};

inline bool Matcher::matches_plain(const TraceNode& node, const OpCall& call) const {
  if (!is_same_op(node, call)) return false;
  TensorImpl* const* slots = slots_.data();
  const NodeOperand* want = node.operands;
  for (const Operand& got : call.operands) {
    if (want->kind == NodeOperand::Kind::slot) {
      if (!got.is_tensor() || got.tensor().impl() != slots[want->slot]) return false;
    } else if (want->kind == NodeOperand::Kind::number) {
      if (!got.is_number() || !(got.number() == want->number)) return false;
    } else if (want->kind != NodeOperand::Kind::none || got.kind() != Operand::Kind::none) {
      return false;
    }
    ++want;
  }
  return node.attrs == call.attrs;
}

// Whether `want`, a size among the attributes, is a symbol of the node that the call binds to a
// plain number.
bool is_given(const TraceNode& node, Size want, Size got);

}  // namespace vitro::capture
