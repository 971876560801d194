// One block of memory for the intermediate buffers of one call of a compiled segment.
//   const Arena arena = lease(plan.bytes);   arena.at(offset)
// Returned when it ends; the next call gets the same memory again, while it is still in the caches.
// Threads: any; each call has its own.
#pragma once

#include <cstddef>
#include <utility>

#include "runtime/cpu/allocator.h"
#include "vitro/events/memory.h"

namespace vitro::runtime {

class Arena {
 public:
  Arena() = default;
  explicit Arena(size_t bytes)
      : data_(static_cast<std::byte*>(cpu_allocator().allocate(bytes))), bytes_(bytes) {
    events::categorise(data_, events::MemoryCategory::temporary);
  }
  Arena(Arena&& o) noexcept
      : data_(std::exchange(o.data_, nullptr)), bytes_(std::exchange(o.bytes_, 0)) {}
  Arena& operator=(Arena o) noexcept {
    std::swap(data_, o.data_);
    std::swap(bytes_, o.bytes_);
    return *this;
  }
  ~Arena() {
    if (data_) cpu_allocator().free(data_, bytes_);
  }

  std::byte* data() const { return data_; }
  std::byte* at(size_t offset) const { return data_ + offset; }
  size_t bytes() const { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  size_t bytes_ = 0;
};

inline Arena lease(size_t bytes) {
  return Arena(bytes);
}

}  // namespace vitro::runtime
