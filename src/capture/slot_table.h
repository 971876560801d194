// What the tensors of a path are to each other: which are views, of what.
//
// Invariant: a parent has a lower slot than its views, and a root is its own root.
// Threads: any; nodes of a path do not change.
#pragma once

#include <vector>

#include "capture/trace_node.h"

namespace vitro::capture {

class SlotTable {
 public:
  struct Entry {
    const TensorMeta* meta = nullptr;
    const ExternalInput* input = nullptr;  // a tensor from outside
    const TraceNode* made_by = nullptr;    // or the op that made it
    uint32_t output = 0;
    uint32_t parent = no_slot;  // a view of this one
    uint32_t root = no_slot;    // whose memory it shares; itself where it is not a view
  };

  SlotTable(const TraceNode& last, const std::vector<const TraceNode*>& path);
  const Entry& operator[](uint32_t slot) const { return entries_[slot]; }
  uint32_t root(uint32_t slot) const { return entries_[slot].root; }
  uint32_t size() const { return static_cast<uint32_t>(entries_.size()); }

 private:
  void add_inputs(const TraceNode& node);
  std::vector<Entry> entries_;
};

}  // namespace vitro::capture
