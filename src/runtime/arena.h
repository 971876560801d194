// One block of memory for the intermediate buffers of one call of a compiled segment.
//   const Arena arena = lease(device.memory(), plan.bytes);   arena.at(offset)
// Freed on destruction; the next call gets the same memory, which may still be in the caches.
// Threads: each call has its own.
#pragma once

#include <cstddef>
#include <utility>

#include "vitro/core/storage.h"
#include "vitro/events/memory.h"

namespace vitro::runtime {

class Arena {
 public:
  Arena() = default;
  Arena(Allocator& memory, size_t bytes)
      : memory_(&memory), data_(static_cast<std::byte*>(memory.allocate(bytes))), bytes_(bytes) {
    events::categorise(data_, events::MemoryCategory::temporary);
  }
  Arena(Arena&& o) noexcept
      : memory_(o.memory_),
        data_(std::exchange(o.data_, nullptr)),
        bytes_(std::exchange(o.bytes_, 0)) {}
  Arena& operator=(Arena o) noexcept {
    std::swap(memory_, o.memory_);
    std::swap(data_, o.data_);
    std::swap(bytes_, o.bytes_);
    return *this;
  }
  ~Arena() {
    if (data_) memory_->free(data_, bytes_);
  }

  std::byte* data() const { return data_; }
  std::byte* at(size_t offset) const { return data_ + offset; }
  size_t bytes() const { return bytes_; }

 private:
  Allocator* memory_ = nullptr;
  std::byte* data_ = nullptr;
  size_t bytes_ = 0;
};

inline Arena lease(Allocator& memory, size_t bytes) {
  return {memory, bytes};
}

}  // namespace vitro::runtime
