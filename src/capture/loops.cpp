#include "capture/loops.h"

#include <algorithm>
#include <vector>

namespace vitro::capture {
namespace {

// Whether the segment has already passed this place.
bool went_by(const TraceNode& cursor, std::source_location where) {
  for (const TraceNode* node = &cursor; node->op; node = node->parent) {
    if (same_location(node->where, where)) return true;
  }
  return false;
}

}  // namespace

void note_parting(TraceTree& tree, const TraceNode& cursor, std::source_location recorded,
                  std::source_location called) {
  if (tree.options().fullgraph) return;
  if (went_by(cursor, called)) {
    tree.part(called);
  } else if (went_by(cursor, recorded)) {
    tree.part(recorded);
  }
}

size_t argument_counts(TraceTree& tree, size_t now) {
  constexpr size_t most = 3;
  if (tree.options().frozen) return 0;
  std::vector<size_t> counts;
  const TraceNode* node = tree.entry().load(std::memory_order_acquire);
  for (; node; node = node->fork.load(std::memory_order_acquire)) {
    if (node->operand_count == now) return 0;
    if (std::ranges::find(counts, node->operand_count) == counts.end())
      counts.push_back(node->operand_count);
  }
  return counts.size() < most ? 0 : counts.size();
}

}  // namespace vitro::capture
