// Explains why a call fits no recorded path: what was expected, what came instead, and where.
//
// No side effects on the call: symbols and numbers are restored.
// Threads: that of its call.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "capture/expansion.h"
#include "capture/matcher.h"
#include "capture/segment_variant.h"
#include "vitro/base/verdict.h"

namespace vitro::capture {

struct RecompileReason {
  const Code* code = nullptr;  // null: there is no other path yet
  std::string text, location;
};

class RecompileReasons {
 public:
  RecompileReasons(Matcher& matcher, const Slots& slots, CallValues& values,
                   const Expansion& expansion)
      : matcher_(matcher),
        slots_(slots),
        values_(values),
        expansion_(expansion),
        thread_(&thread_state) {}

  // Why `call` fits none of the nodes at `link`.
  RecompileReason of_another_node(std::atomic<TraceNode*>& link, const OpCall& call) const;
  // Why the segment ends with a variant that was just added.
  RecompileReason of_another_end(const SegmentVariant& variant) const;

 private:
  RecompileReason of_going_on(const OpCall& call) const;
  RecompileReason of_other_results(const SegmentVariant& before, const SegmentVariant& now) const;
  // The first difference between `call` and `node`.
  std::string difference(const TraceNode& node, const OpCall& call, const Code** code) const;
  std::string operand_difference(const TraceNode& node, size_t i, const OpCall& call,
                                 const Code** code) const;
  std::string external_difference(const ExternalInput& input, const OpCall& call, size_t i,
                                  Symbols& trial, const Code** code) const;
  std::string guard_difference(const TraceNode& node, const OpCall& call, const Code** code) const;
  std::string question_difference(const std::vector<sym::Guard>& asked) const;
  void explain_by_question(const std::vector<sym::Guard>& asked, RecompileReason* reason) const;
  std::string with_values(const sym::Guard& guard) const;
  std::string place_of(const OpCall& call) const;

  Matcher& matcher_;
  const Slots& slots_;
  CallValues& values_;
  const Expansion& expansion_;
  const ThreadState* thread_;
};

}  // namespace vitro::capture
