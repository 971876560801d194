// The view relations between the tensors of a path.
//
// Invariant: a parent has a lower slot than its views, and a root is its own root.
// Threads: any; nodes of a path are immutable.
#pragma once

#include <vector>

#include "capture/trace_node.h"

namespace vitro::capture {

class SlotTable {
 public:
  struct Entry {
    const TensorMeta* meta = nullptr;
    const ExternalInput* input = nullptr;  // if external
    const TraceNode* made_by = nullptr;    // otherwise
    uint32_t output = 0;
    uint32_t parent = no_slot;  // what it is a view of
    uint32_t root = no_slot;    // the tensor whose memory it shares; itself if not a view
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
