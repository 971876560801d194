// A table of who serves each device.
#pragma once

#include <array>
#include <atomic>

#include "vitro/core/device.h"

namespace vitro {

// Borrows what it is given, for as long as the process runs.  Threads: any.
template <class T>
class PerDevice {
 public:
  T* find(Device device) const {  // null: nobody
    return slots_[slot_of(device)].load(std::memory_order_acquire);
  }
  void set(Device device, T* served_by) {
    slots_[slot_of(device)].store(served_by, std::memory_order_release);
  }

 private:
  std::array<std::atomic<T*>, device_slots> slots_{};
};

}  // namespace vitro
