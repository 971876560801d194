// A table with one object per device, such as its allocator.
#pragma once

#include <array>
#include <atomic>

#include "vitro/core/device.h"

namespace vitro {

// Borrows the objects, which must live until the process ends.  Threads: any.
template <class T>
class PerDevice {
 public:
  T* find(Device device) const {  // null: none
    return slots_[slot_of(device)].load(std::memory_order_acquire);
  }
  void set(Device device, T* served_by) {
    slots_[slot_of(device)].store(served_by, std::memory_order_release);
  }

 private:
  std::array<std::atomic<T*>, device_slots> slots_{};
};

}  // namespace vitro
