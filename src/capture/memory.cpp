#include "capture/memory.h"

#include <algorithm>

namespace vitro::capture {

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
