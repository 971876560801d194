// Loops of the program that go round a varying number of times.  Each number would be a graph of
// its own; where a few were seen, segments end before the place that comes again, so that the body
// is compiled by itself and found again however often it is gone through.  Such a loop may go over
// a list that the function is given.
#include <algorithm>

#include "capture/call.h"
#include "capture/codes.h"
#include "vitro/base/cat.h"

namespace vitro::capture {

// Whether the segment has been at that place before.
bool Call::went_by(std::source_location where) const {
  for (const TraceNode* s = cursor_; s->op; s = s->parent) {
    if (same_place(s->where, where)) return true;
  }
  return false;
}

// The paths part after the cursor: one goes on at `recorded`, this call at `called`.
void Call::note_parting(std::source_location recorded, std::source_location called) {
  if (tree_->options().fullgraph || expanding_ || !cursor_) return;
  if (went_by(called)) {
    tree_->part(called);
  } else if (went_by(recorded)) {
    tree_->part(recorded);
  }
}

// Lists among the arguments that have another number of tensors in each call.  Each number would be
// a path of its own; after a few the arguments are not looked at when the function begins, but
// where an op takes them, as tensors that it reaches by itself are.
bool Call::has_lists_of_any_length() {
  constexpr size_t most = 3;
  if (tree_->options().frozen) return false;
  std::vector<size_t> lengths;
  const TraceNode* node = tree_->entry().load(std::memory_order_acquire);
  for (; node; node = node->fork.load(std::memory_order_acquire)) {
    if (node->operand_count == m_.inputs.size()) return false;
    if (std::ranges::find(lengths, node->operand_count) == lengths.end())
      lengths.push_back(node->operand_count);
  }
  if (lengths.size() < most) return false;
  note_recompile({&op_differs,
                  cat("start: calls gave lists of ", lengths.size(),
                      " lengths; tensors are now guarded where they are used"),
                  {}});
  return true;
}

bool Call::cut_before(const OpCall& call) {
  if (!cursor_->op || expanding_ || !tree_->is_cut(call.where)) return false;
  break_here(loop_break, {}, call.where);
  return true;
}

}  // namespace vitro::capture
