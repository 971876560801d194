// Blocks of less than 64 KiB are from operator new, those of a huge page or more are mapped alone,
// and those between share regions of huge pages: reading megabytes of parameters through pages of
// 4 KiB takes a multiple of the time, above all in virtual machines.
#include "runtime/cpu/block.h"

#include <sys/mman.h>

#include <bit>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>
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

#if defined(__SANITIZE_ADDRESS__)
constexpr size_t least_shared = huge_page;  // redzones and errors of single blocks
#else
constexpr size_t least_shared = size_t{64} << 10;
#endif

// Regions that blocks of least_shared bytes to a huge page share.  May be used from any thread.
class SharedRegions {
 public:
  // The first place that is large enough, in a new region if there is none; null if the system is
  // out of memory.
  void* take(size_t bytes) {
    const std::lock_guard lock(mutex_);
    for (auto& [region, gaps] : regions_) {
      for (auto gap = gaps.begin(); gap != gaps.end(); ++gap) {
        if (gap->second >= bytes) return cut(gaps, gap, bytes);
      }
    }
    void* data = map_aligned(region_bytes);
    if (!data) return nullptr;
    const auto region = reinterpret_cast<uintptr_t>(data);
    Gaps& gaps = regions_[region];
    return cut(gaps, gaps.emplace(region, region_bytes).first, bytes);
  }

  void give_back(void* data, size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto at = reinterpret_cast<uintptr_t>(data);
    const auto region = std::prev(regions_.upper_bound(at));
    Gaps& gaps = region->second;
    auto gap = gaps.emplace(at, bytes).first;
    join(gaps, gap);
    if (gap != gaps.begin()) join(gaps, std::prev(gap));
    if (gaps.begin()->second < region_bytes) return;
    munmap(reinterpret_cast<void*>(region->first), region_bytes);
    regions_.erase(region);
  }

 private:
  static constexpr size_t region_bytes = 4 * huge_page;
  using Gaps = std::map<uintptr_t, size_t>;  // where they begin, and their bytes

  static void* cut(Gaps& gaps, Gaps::iterator gap, size_t bytes) {
    const auto [at, size] = *gap;
    gaps.erase(gap);
    if (size > bytes) gaps.emplace(at + bytes, size - bytes);
    return reinterpret_cast<void*>(at);
  }
  static void join(Gaps& gaps, Gaps::iterator gap) {
    const auto next = std::next(gap);
    if (next == gaps.end() || gap->first + gap->second != next->first) return;
    gap->second += next->second;
    gaps.erase(next);
  }

  std::mutex mutex_;
  std::map<uintptr_t, Gaps> regions_;
};

// Is never destroyed: tensors may outlive static objects.
SharedRegions& shared_regions() {
  static auto& regions = *new SharedRegions;
  return regions;
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
  if (bytes < least_shared)
    return ::operator new(bytes, std::align_val_t{block_alignment}, std::nothrow);
  if (bytes < huge_page) return shared_regions().take(round_up(bytes, block_alignment));
  return map_aligned(round_up(bytes, huge_page));
}

void return_to_system(void* data, size_t bytes) {
  if (bytes < least_shared) {
    ::operator delete(data, std::align_val_t{block_alignment});
  } else if (bytes < huge_page) {
    shared_regions().give_back(data, round_up(bytes, block_alignment));
  } else {
    munmap(data, round_up(bytes, huge_page));
  }
}

}  // namespace vitro::runtime
