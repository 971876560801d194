#include "runtime/cpu/block.h"

#include <sys/mman.h>

#include <bit>
#include <cstdint>
#include <new>

namespace vitro::runtime {
namespace {

constexpr size_t huge_page = size_t{2} << 20;
constexpr size_t most_bytes = PTRDIFF_MAX - 2 * huge_page;  // larger allocations always fail

// Sizes over most_bytes stay unchanged, so that they do not overflow; allocating them fails anyway.
size_t round_up(size_t bytes, size_t to) {
  return bytes > most_bytes ? bytes : (bytes + to - 1) / to * to;
}

// Maps an extra huge page and unmaps the parts before and after the aligned range.
void* map_aligned(size_t bytes) {
  const size_t mapped = bytes + huge_page;
  void* at = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return nullptr;
  const auto begin = reinterpret_cast<uintptr_t>(at);
  const uintptr_t aligned = round_up(begin, huge_page);
  if (aligned != begin) munmap(at, aligned - begin);
  if (const size_t tail = begin + mapped - (aligned + bytes)) {
    munmap(reinterpret_cast<void*>(aligned + bytes), tail);
  }
  void* data = reinterpret_cast<void*>(aligned);
  madvise(data, bytes, MADV_HUGEPAGE);
  return data;
}

}  // namespace

SizeClass size_class(size_t bytes) {
  if (bytes <= 256) {
    const int number = bytes == 0 ? 0 : static_cast<int>((bytes - 1) / 64);
    return {number, static_cast<size_t>(number + 1) * 64};
  }
  // 256 < bytes, and 2^power < bytes <= 2^(power+1), which is divided into four steps.
  const auto power = static_cast<int>(std::bit_width(bytes - 1)) - 1;
  const size_t step = (bytes - 1 - (size_t{1} << power)) >> (power - 2);
  const int number = 4 + (power - 8) * 4 + static_cast<int>(step);
  return number < class_count ? SizeClass{number, bytes_of_class(number)}
                              : SizeClass{-1, round_up(bytes, huge_page)};
}

size_t bytes_of_class(int number) {
  if (number < 4) return static_cast<size_t>(number + 1) * 64;
  const int power = 8 + (number - 4) / 4;
  const auto step = static_cast<size_t>((number - 4) % 4);
  return (size_t{1} << power) + (step + 1) * (size_t{1} << (power - 2));
}

void* take_from_system(size_t bytes) {
  if (bytes > most_bytes) return nullptr;
  if (bytes < huge_page)
    return ::operator new(bytes, std::align_val_t{block_alignment}, std::nothrow);
  return map_aligned(round_up(bytes, huge_page));
}

void return_to_system(void* data, size_t bytes) {
  if (bytes < huge_page) {
    ::operator delete(data, std::align_val_t{block_alignment});
  } else {
    munmap(data, round_up(bytes, huge_page));
  }
}

}  // namespace vitro::runtime
