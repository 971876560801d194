#include "large_arrays.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "vitro/analyze/file_memory.h"

namespace vitro::cli {
namespace {

// Reading a window takes less at once.
constexpr size_t large = size_t{6} << 20, least_page = 4096;
std::atomic<bool> in_files{false};

}  // namespace

void keep_large_arrays_in_files() {
  in_files.store(true, std::memory_order_relaxed);
}

}  // namespace vitro::cli

// The two below stand for those of the standard library in the whole program; its other forms call
// them.
void* operator new(size_t bytes) {
  if (bytes >= vitro::cli::large && vitro::cli::in_files.load(std::memory_order_relaxed)) {
    if (void* memory = vitro::analyze::take_file_memory(bytes)) return memory;
  }
  for (;;) {
    if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (!handler) throw std::bad_alloc();
    handler();
  }
}

void operator delete(void* memory) noexcept {
  const bool may_be_mapped = reinterpret_cast<uintptr_t>(memory) % vitro::cli::least_page == 0;
  if (memory && may_be_mapped && vitro::cli::in_files.load(std::memory_order_relaxed) &&
      vitro::analyze::give_back_file_memory(memory))
    return;
  std::free(memory);
}

void operator delete(void* memory, size_t /*bytes*/) noexcept {
  operator delete(memory);
}
