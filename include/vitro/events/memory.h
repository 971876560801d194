// Records allocations and their categories.
//   { const events::CategoryScope optimiser(events::MemoryCategory::optimiser);  … }
//   events::categorise(tensor.storage().data(), events::MemoryCategory::gradient);
// Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>

#include "vitro/events/record.h"

namespace vitro::events {

extern constinit thread_local MemoryCategory category_of_this_thread
    __attribute__((tls_model("initial-exec")));

// Sets the category of this thread's allocations for the duration of the scope.
class CategoryScope {
 public:
  explicit CategoryScope(MemoryCategory category) : before_(category_of_this_thread) {
    category_of_this_thread = category;
  }
  ~CategoryScope() { category_of_this_thread = before_; }
  CategoryScope(const CategoryScope&) = delete;

 private:
  MemoryCategory before_;
};

// Sets the category of the allocation at that address; no effect unless a session records memory.
// `bytes`, the size of the allocation, makes it known if it is older than the session.
inline void categorise(const void* address, MemoryCategory category, size_t bytes = 0) {
  record(Categorised{reinterpret_cast<uintptr_t>(address), static_cast<int64_t>(bytes), category});
}

// Called by allocators: records an allocation with this thread's category and call stack.
void record_allocation(const void* address, int64_t bytes, int64_t live_bytes);

}  // namespace vitro::events
