#include "capture/memory.h"

#include <algorithm>

namespace vitro::capture {

void Outside::add(uint64_t storage, uint32_t slot) {
  if (++count_ * 2 > entries_.size()) {
    std::vector<Entry> old(entries_.size() * 2);
    old.swap(entries_);
    count_ = 1;
    for (const Entry& e : old) {
      if (e.epoch == epoch_) add(e.storage, e.slot);
    }
  }
  size_t i = storage & (entries_.size() - 1);
  while (entries_[i].epoch == epoch_) i = (i + 1) & (entries_.size() - 1);
  entries_[i] = {storage, epoch_, slot};
}

Memory::~Memory() {
  for (TensorImpl* impl : free) {
    impl->call = 0;
    impl->refs.store(1, std::memory_order_relaxed);
    const Tensor let_go(impl);
  }
}

void Memory::reserve_slots(size_t count) {
  if (count <= slots.size()) return;
  const size_t room = std::max(count, slots.size() * 2 + 64);
  slots.resize(room, nullptr);
  next_shared.resize(room, no_slot);
  bound_metas.resize(room, nullptr);
}

}  // namespace vitro::capture
