// A segment that ends after a node, for one set of held results and one set of answers to questions
// about sizes that compiling it asked.
//
// Invariants: what identifies a variant (live, saved, last, name, number) is set before it is
// linked.  The plan, the segment, the guards and the reason for a refusal are written by the call
// that builds it, before `state` leaves `building`.  After that only `state` and the reason can
// change, to `interpreted`, if the variant turns out to be unusable (TraceTree::give_up). Threads:
// any.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "capture/plan.h"
#include "vitro/base/verdict.h"
#include "vitro/capture/segment.h"
#include "vitro/events/name.h"

namespace vitro::capture {

struct SegmentVariant {
  // `guarded`: ready for calls that answer its questions the same way.
  enum class State : uint8_t { building, ready, guarded, interpreted };
  std::vector<uint64_t> live;  // a bit per slot
  // The same for results that only gradients hold, to be computed later, and for tensors from
  // outside that gradients hold, too; empty: none.
  std::vector<uint64_t> saved;
  uint64_t made_by = 0;           // the call's number
  std::vector<sym::Guard> asked;  // by its code after the last node; see TraceNode::asked
  const TraceNode* last = nullptr;
  std::string name;
  uint32_t number = 0;
  events::NameId label;  // `name` in the event recorder
  std::atomic<State> state{State::building};
  Plan plan;
  std::shared_ptr<CompiledSegment> segment;
  // Guards added by compilation, in the symbols of calls.  Set before it is ready.
  std::vector<sym::Guard> guards;
  std::string why_not;
  const Code* why_code = nullptr;
  int64_t compile_ns = 0;
  std::atomic<uint64_t> runs{0}, run_ticks{0};
  std::atomic<bool> failure_said{false};  // a failed run was reported
  SegmentVariant* next = nullptr;

  bool is_compiled() const {
    const State now = state.load(std::memory_order_acquire);
    return now == State::ready || now == State::guarded;
  }
  // Whether the compiled segment may run in a call with these symbols.
  bool can_run(const Symbols& symbols) const {
    const State now = state.load(std::memory_order_acquire);
    return now == State::ready || (now == State::guarded && answers_alike(symbols));
  }
  // Whether this is the variant for a call with these symbols, compiled or refused.
  bool suits(const Symbols& symbols) const {
    const State now = state.load(std::memory_order_acquire);
    return now == State::building || now == State::ready || answers_alike(symbols);
  }
  bool has_questions() const { return !guards.empty() || !plan.coverings.empty(); }
  bool answers_alike(const Symbols& symbols) const {
    return !broken_guard(symbols) && !broken_covering(symbols);
  }
  // The first that does not hold in a call, or null.  Not to be called while building.
  const sym::Guard* broken_guard(const Symbols& symbols) const;
  const Covering* broken_covering(const Symbols& symbols) const;
};

}  // namespace vitro::capture
