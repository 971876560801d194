#include "vitro/events/memory.h"

#include "vitro/events/stack.h"

namespace vitro::events {

constinit thread_local MemoryCategory category_of_this_thread
    __attribute__((tls_model("initial-exec"))) = MemoryCategory::other;

void record_allocation(const void* address, int64_t bytes, int64_t live_bytes) {
  record(
      Allocated{reinterpret_cast<uintptr_t>(address), bytes, live_bytes, category_of_this_thread});
  record_stack();
}

}  // namespace vitro::events
