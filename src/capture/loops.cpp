// Loops of the program that go round a varying number of times.  Each number would be a graph of
// its own; where a few were seen, segments end before the place that comes again, so that the body
// is compiled by itself and found again however often it is gone through.
#include "capture/call.h"
#include "capture/codes.h"

namespace vitro::capture {

// Whether the segment has been at that place before.
bool Call::went_by(std::source_location where) const {
  for (const Step* s = cursor_; s->op; s = s->parent) {
    if (same_place(s->where, where)) return true;
  }
  return false;
}

// The ways part behind the cursor: one goes on at `recorded`, this call at `called`.
void Call::note_parting(std::source_location recorded, std::source_location called) {
  if (record_->options().fullgraph || expanding_ || !cursor_) return;
  if (went_by(called)) {
    record_->part(called);
  } else if (went_by(recorded)) {
    record_->part(recorded);
  }
}

bool Call::cut_before(const OpCall& call) {
  if (!cursor_->op || expanding_ || !record_->is_cut(call.where)) return false;
  break_here(loop_break, {}, call.where);
  return true;
}

}  // namespace vitro::capture
