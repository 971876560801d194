#include "capture/slot_table.h"

namespace vitro::capture {

SlotTable::SlotTable(const Step& last, const std::vector<const Step*>& path)
    : entries_(last.slots_after) {
  add_binds(start_of(last));
  for (const Step* step : path) {
    add_binds(*step);
    for (uint32_t k = 0; k < step->result_count; ++k) {
      const uint32_t slot = step->first_slot + k;
      Entry& e = entries_[slot];
      e.meta = &step->results[k];
      e.made_by = step;
      e.output = k;
      if (step->op->kind == OpKind::view) e.parent = step->operands[0].slot;
      e.root = e.parent == no_slot ? slot : entries_[e.parent].root;
    }
  }
}

void SlotTable::add_binds(const Step& step) {
  for (const Bind& bind : step.binds) {
    Entry& e = entries_[bind.slot];
    e.meta = &bind.meta;
    e.bind = &bind;
    e.root = bind.slot;
  }
}

}  // namespace vitro::capture
