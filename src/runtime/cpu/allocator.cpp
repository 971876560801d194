// The caching CPU allocator: freed blocks go to the thread's magazine, then to the shared lists of
// their size class, and to the system beyond the cache limit.
#include "runtime/cpu/allocator.h"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/cpu/block.h"
#include "runtime/cpu/machine.h"
#include "runtime/options.h"
#include "vitro/base/error.h"
#include "vitro/events/memory.h"

namespace vitro::runtime {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool keeps_blocks = false;  // the sanitizer detects uses of memory only once it is freed
#else
constexpr bool keeps_blocks = true;
#endif

// Limits of a thread's magazine: blocks per size class, and bytes in total.
constexpr int magazine_blocks = 8;
constexpr size_t magazine_bytes = size_t{8} << 20;

std::atomic<int64_t> allocations{0}, cache_hits{0}, live_bytes{0}, peak_bytes{0}, cached_bytes{0};

std::atomic<int64_t>& most_cached() {
  static auto* bytes = [] {
    const int64_t wish = cpu_cache_mb.get();
    const int64_t found = wish >= 0 ? std::min(wish, INT64_MAX >> 20) << 20
                                    : static_cast<int64_t>(machine().available_memory_bytes / 4);
    return new std::atomic<int64_t>(keeps_blocks ? found : 0);
  }();
  return *bytes;
}

bool over_limit() {
  return cached_bytes.load(std::memory_order_relaxed) > most_cached();
}

// Cached blocks that are in no thread's magazine.
struct Shared {
  std::mutex lock;
  std::array<std::vector<void*>, class_count> blocks;
};

Shared& shared() {
  static auto* one = [] {
    pthread_atfork([] { shared().lock.lock(); }, [] { shared().lock.unlock(); },
                   [] { shared().lock.unlock(); });
    return new Shared;
  }();
  return *one;
}

void give_back(void* data, int number) {
  const size_t bytes = bytes_of_class(number);
  cached_bytes.fetch_sub(static_cast<int64_t>(bytes), std::memory_order_relaxed);
  return_to_system(data, bytes);
}

// Cached blocks of one thread, accessed without a lock.
struct Magazine {
  struct Stack {
    int count = 0;
    std::array<void*, magazine_blocks> blocks;
  };
  size_t bytes = 0;
  std::array<Stack, class_count> stacks;

  void* take(int number) {
    Stack& stack = stacks[number];
    if (stack.count == 0) return nullptr;
    bytes -= bytes_of_class(number);
    return stack.blocks[--stack.count];
  }

  bool put(void* data, int number) {
    Stack& stack = stacks[number];
    const size_t added = bytes_of_class(number);
    if (stack.count == magazine_blocks || bytes + added > magazine_bytes) return false;
    bytes += added;
    stack.blocks[stack.count++] = data;
    return true;
  }

  // Moves all blocks to the shared lists.
  void empty() {
    Shared& all = shared();
    std::lock_guard hold(all.lock);
    for (int number = 0; number < class_count; ++number) {
      while (void* data = take(number)) all.blocks[number].push_back(data);
    }
  }
};

// A thread's magazine lives from its first block until the thread ends; blocks that other
// thread-local objects free after that go to the shared lists.
enum class Life : uint8_t { unborn, alive, ended };
thread_local Life life = Life::unborn;
thread_local Magazine* own = nullptr;

struct Owner {
  std::unique_ptr<Magazine> magazine = std::make_unique<Magazine>();
  Owner() {
    own = magazine.get();
    life = Life::alive;
  }
  ~Owner() {
    life = Life::ended;
    own->empty();
    own = nullptr;
  }
};

Magazine* magazine() {
  if (life == Life::unborn) [[unlikely]] {
    thread_local Owner owner;
  }
  return own;
}

void* take_cached(int number) {
  if (number < 0) return nullptr;
  Magazine* mine = magazine();
  void* data = mine ? mine->take(number) : nullptr;
  if (!data) {
    Shared& all = shared();
    std::lock_guard hold(all.lock);
    std::vector<void*>& blocks = all.blocks[number];
    if (blocks.empty()) return nullptr;
    data = blocks.back();
    blocks.pop_back();
  }
  cached_bytes.fetch_sub(static_cast<int64_t>(bytes_of_class(number)), std::memory_order_relaxed);
  cache_hits.fetch_add(1, std::memory_order_relaxed);
  return data;
}

// Frees shared blocks of other classes, largest first, until the cache is within its limit, so that
// a program whose sizes change still has a cache for the new ones.
bool make_room(int for_number) {
  Shared& all = shared();
  std::lock_guard hold(all.lock);
  for (int number = class_count - 1; number >= 0; --number) {
    std::vector<void*>& blocks = all.blocks[number];
    while (number != for_number && !blocks.empty() && over_limit()) {
      give_back(blocks.back(), number);
      blocks.pop_back();
    }
  }
  return !over_limit();
}

// Caches a freed block.  Returns false if it does not fit the limit.
bool keep(void* data, int number) {
  if (number < 0) return false;
  const auto bytes = static_cast<int64_t>(bytes_of_class(number));
  cached_bytes.fetch_add(bytes, std::memory_order_relaxed);
  if (over_limit() && (bytes > most_cached() || !make_room(number))) {
    cached_bytes.fetch_sub(bytes, std::memory_order_relaxed);
    return false;
  }
  Magazine* mine = magazine();
  if (mine && mine->put(data, number)) return true;
  Shared& all = shared();
  std::lock_guard hold(all.lock);
  all.blocks[number].push_back(data);
  return true;
}

void raise_peak(int64_t live) {
  int64_t peak = peak_bytes.load(std::memory_order_relaxed);
  while (live > peak && !peak_bytes.compare_exchange_weak(peak, live, std::memory_order_relaxed)) {
  }
}

void* take_new(size_t wanted, size_t bytes) {
  void* data = take_from_system(bytes);
  if (!data) {
    empty_cache();
    data = take_from_system(bytes);
  }
  if (!data) {  // not throw_error(): the message names the device, not the function called
    throw Error(cat("cpu: cannot allocate ", wanted, " bytes; ", memory_stats().live_bytes,
                    " bytes are in use by tensors"));
  }
  return data;
}

class CachingAllocator final : public Allocator {
 public:
  void* allocate(size_t bytes) override {
    const SizeClass size = size_class(bytes);
    void* data = take_cached(size.number);
    if (!data) data = take_new(bytes, size.bytes);
    allocations.fetch_add(1, std::memory_order_relaxed);
    const auto added = static_cast<int64_t>(bytes);
    const int64_t live = live_bytes.fetch_add(added, std::memory_order_relaxed) + added;
    raise_peak(live);
    if (events::wants(events::Detail::memory)) [[unlikely]]
      events::record_allocation(data, added, live);
    return data;
  }

  void free(void* data, size_t bytes) override {
    const auto removed = static_cast<int64_t>(bytes);
    const int64_t live = live_bytes.fetch_sub(removed, std::memory_order_relaxed) - removed;
    events::record(events::Freed{reinterpret_cast<uintptr_t>(data), removed, live});
    const SizeClass size = size_class(bytes);
    if (!keep(data, size.number)) return_to_system(data, size.bytes);
  }
};

}  // namespace

Allocator& cpu_allocator() {
  static auto* one = new CachingAllocator;
  return *one;
}

size_t block_bytes(size_t bytes) {
  return size_class(bytes).bytes;
}

}  // namespace vitro::runtime

namespace vitro {

MemoryStats memory_stats() {
  using namespace runtime;
  return {allocations.load(), cache_hits.load(), live_bytes.load(), peak_bytes.load(),
          cached_bytes.load()};
}

void reset_memory_peak() {
  runtime::peak_bytes.store(runtime::live_bytes.load());
}

void set_cache_limit(int64_t bytes) {
  VITRO_CHECK(bytes >= 0, "set_cache_limit: got ", bytes, " bytes, needs 0 or more");
  runtime::most_cached() = bytes;
  if (runtime::over_limit()) empty_cache();
}

void empty_cache() {
  using namespace runtime;
  if (Magazine* mine = magazine()) mine->empty();
  Shared& all = shared();
  std::lock_guard hold(all.lock);
  for (int number = 0; number < class_count; ++number) {
    for (void* data : all.blocks[number]) give_back(data, number);
    all.blocks[number].clear();
  }
}

}  // namespace vitro
