// Allocations in the recorder, and what they are for.
//   { const events::CategoryScope optimiser(events::MemoryCategory::optimiser);  … }
//   events::categorise(tensor.storage().data(), events::MemoryCategory::gradient);
// Any thread.
#pragma once

#include <cstdint>

#include "vitro/events/record.h"

namespace vitro::events {

extern constinit thread_local MemoryCategory category_of_this_thread
    __attribute__((tls_model("initial-exec")));

// What this thread allocates while it lives is of that category.
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

// Says of what category the allocation at that address is; nothing where no session records memory.
inline void categorise(const void* address, MemoryCategory category) {
  record(Categorised{reinterpret_cast<uintptr_t>(address), category});
}

// For allocators: an allocation, with this thread's category and where in the program it is.
void record_allocation(const void* address, int64_t bytes, int64_t live_bytes);

}  // namespace vitro::events
