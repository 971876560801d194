#include "capture/slot_table.h"

namespace vitro::capture {

SlotTable::SlotTable(const TraceNode& last, const std::vector<const TraceNode*>& path)
    : entries_(last.slots_after) {
  add_inputs(start_of(last));
  for (const TraceNode* node : path) {
    add_inputs(*node);
    for (uint32_t k = 0; k < node->result_count; ++k) {
      const uint32_t slot = node->first_slot + k;
      Entry& e = entries_[slot];
      e.meta = &node->results[k];
      e.made_by = node;
      e.output = k;
      if (node->op->kind == OpKind::view) e.parent = node->operands[0].slot;
      e.root = e.parent == no_slot ? slot : entries_[e.parent].root;
    }
  }
}

void SlotTable::add_inputs(const TraceNode& node) {
  for (const ExternalInput& input : node.inputs) {
    Entry& e = entries_[input.slot];
    e.meta = &input.meta;
    e.input = &input;
    e.root = input.slot;
  }
}

}  // namespace vitro::capture
