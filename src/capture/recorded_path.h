// A path of the trace tree as input to the passes of a plan: its nodes, the aliasing of its
// tensors, and the symbols that its guards determine.
#pragma once

#include <vector>

#include "capture/aliases.h"
#include "capture/known_values.h"
#include "capture/slot_table.h"
#include "capture/symbols.h"
#include "capture/trace_node.h"

namespace vitro::capture {

// A memory is what tensors are views of: the memory of an external input, of the result of a
// non-view op, or of a base.  Memories are numbered by the slot of their first tensor; bases come
// after the last slot.
class RecordedPath {
 public:
  RecordedPath(const TraceNode& last, const ValueOf& value_of);
  RecordedPath(const RecordedPath&) = delete;  // aliases point to the table

  uint32_t memory_of(uint32_t slot) const {
    const uint32_t root = aliases.same(table.root(slot));
    const int base = aliases.base(root);
    return base < 0 ? root : table.size() + static_cast<uint32_t>(base);
  }
  size_t memory_count() const { return table.size() + aliases.bases().size(); }
  bool is_base(uint32_t memory) const { return memory >= table.size(); }
  const Aliases::Base& base(uint32_t memory) const {
    return aliases.bases()[memory - table.size()];
  }

  const TraceNode& last;
  const std::vector<const TraceNode*> nodes;
  const SlotTable table;
  const Aliases aliases;
  const KnownValues known;
};

}  // namespace vitro::capture
