#include "large_arrays.h"

#include <malloc.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "vitro/analyze/resident.h"

namespace vitro::cli {
namespace {

// Reading a window takes less than the size that counts as large.
constexpr size_t large = size_t{6} << 20, most_in_memory = size_t{64} << 20, least_page = 4096;
std::atomic<bool> in_files{false};
std::atomic<size_t> in_memory{0};  // bytes of large arrays not in files

bool goes_to_a_file(size_t bytes) {
  return bytes >= large && in_files.load(std::memory_order_relaxed) &&
         in_memory.load(std::memory_order_relaxed) + bytes > most_in_memory;
}

void* take_memory(size_t bytes) {
  void* const memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (const size_t taken = memory ? malloc_usable_size(memory) : 0; taken >= large)
    in_memory.fetch_add(taken, std::memory_order_relaxed);
  return memory;
}

void give_back_memory(void* memory) {
  if (const size_t taken = malloc_usable_size(memory); taken >= large)
    in_memory.fetch_sub(taken, std::memory_order_relaxed);
  std::free(memory);
}

}  // namespace

void keep_large_arrays_in_files() {
  in_files.store(true, std::memory_order_relaxed);
}

}  // namespace vitro::cli

// These two replace the standard library's in the whole program; its other forms call them.
void* operator new(size_t bytes) {
  if (vitro::cli::goes_to_a_file(bytes)) {
    if (void* memory = vitro::analyze::take_file_memory(bytes)) return memory;
  }
  for (;;) {
    if (void* memory = vitro::cli::take_memory(bytes)) return memory;
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
  vitro::cli::give_back_memory(memory);
}

void operator delete(void* memory, size_t /*bytes*/) noexcept {
  operator delete(memory);
}
