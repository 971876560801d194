// The CPU allocator: alignment, cache of freed blocks, statistics, threads, arenas.
#include "runtime/cpu/allocator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "runtime/arena.h"
#include "vitro/base/error.h"
#include "vitro/events/session.h"

namespace vitro::runtime {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool keeps_blocks = false;
#else
constexpr bool keeps_blocks = true;
#endif

TEST(Allocator, aligns_blocks_of_every_size_and_keeps_them_apart) {
  Allocator& memory = cpu_allocator();
  std::vector<std::pair<char*, size_t>> blocks;
  for (size_t bytes = 0; bytes < 9'000'000; bytes = bytes * 5 / 4 + 1) {
    auto* data = static_cast<char*>(memory.allocate(bytes));
    ASSERT_EQ(reinterpret_cast<uintptr_t>(data) % 64, 0u);
    std::memset(data, static_cast<int>(blocks.size()), bytes);
    blocks.emplace_back(data, bytes);
  }
  for (size_t i = 0; i < blocks.size(); ++i) {
    const auto [data, bytes] = blocks[i];
    const auto wrong = [&](char c) { return c != static_cast<char>(i); };
    EXPECT_EQ(std::find_if(data, data + bytes, wrong), data + bytes);
    memory.free(data, bytes);
  }
}

TEST(Allocator, gives_a_freed_block_to_the_next_of_its_size) {
  if (!keeps_blocks) GTEST_SKIP() << "this sanitizer frees blocks at once";
  Allocator& memory = cpu_allocator();
  void* first = memory.allocate(5000);
  memory.free(first, 5000);
  const int64_t hits = memory_stats().cache_hits;
  void* second = memory.allocate(4900);
  EXPECT_EQ(second, first);
  EXPECT_EQ(memory_stats().cache_hits, hits + 1);
  memory.free(second, 4900);
}

TEST(Allocator, counts_what_is_live_and_its_peak) {
  Allocator& memory = cpu_allocator();
  reset_memory_peak();
  const MemoryStats before = memory_stats();
  void* a = memory.allocate(1000);
  void* b = memory.allocate(300'000);
  memory.free(a, 1000);
  const MemoryStats after = memory_stats();
  EXPECT_EQ(after.live_bytes, before.live_bytes + 300'000);
  EXPECT_EQ(after.peak_bytes, before.live_bytes + 301'000);
  EXPECT_EQ(after.allocations, before.allocations + 2);
  memory.free(b, 300'000);
}

TEST(Allocator, gives_cached_memory_back_when_asked) {
  Allocator& memory = cpu_allocator();
  memory.free(memory.allocate(3 << 20), 3 << 20);
  empty_cache();
  EXPECT_EQ(memory_stats().cached_bytes, 0);
}

TEST(Allocator, keeps_no_more_than_its_limit_and_prefers_the_sizes_in_use) {
  if (!keeps_blocks) GTEST_SKIP() << "this sanitizer frees blocks at once";
  Allocator& memory = cpu_allocator();
  empty_cache();
  set_cache_limit(64 << 20);
  const auto cycle = [&](size_t bytes, int count) {
    std::vector<void*> blocks;
    for (int i = 0; i < count; ++i) blocks.push_back(memory.allocate(bytes));
    for (void* data : blocks) memory.free(data, bytes);
    EXPECT_LE(memory_stats().cached_bytes, 64 << 20);
  };
  cycle(16 << 20, 6);  // exceeds the limit of the cache
  cycle(1 << 20, 20);  // evicts some of those blocks
  const int64_t hits = memory_stats().cache_hits;
  cycle(1 << 20, 20);
  EXPECT_EQ(memory_stats().cache_hits, hits + 20);
  empty_cache();
  set_cache_limit(int64_t{1} << 30);
}

TEST(Allocator, says_how_much_it_could_not_get) {
  try {
    cpu_allocator().allocate(size_t{1} << 60);
    FAIL();
  } catch (const Error& e) {
    EXPECT_TRUE(
        std::string(e.what()).starts_with("cpu: cannot allocate 1152921504606846976 bytes; "))
        << e.what();
  }
}

TEST(Allocator, tells_the_recorder) {
  events::start({.details = events::Detail::memory});
  cpu_allocator().free(cpu_allocator().allocate(777), 777);
  const events::Recording recording = events::stop();
  int64_t allocated = 0, freed = 0;
  for (const auto& thread : recording.threads) {
    thread.read([&]<class E>(const E& event) {
      if constexpr (std::is_same_v<E, events::Allocated>) allocated += event.bytes;
      if constexpr (std::is_same_v<E, events::Freed>) freed += event.bytes;
    });
  }
  EXPECT_EQ(allocated, 777);
  EXPECT_EQ(freed, 777);
}

// Threads allocate and fill blocks, exchange them, and free each other's.
TEST(Allocator, survives_threads_that_free_each_others_blocks) {
  struct Block {
    unsigned char* data;
    size_t bytes;
    unsigned char mark;
  };
  std::mutex lock;
  std::vector<Block> exchange;
  std::atomic<int> wrong{0};
  const int64_t live = memory_stats().live_bytes;
  const auto check_and_free = [&](const Block& block) {
    for (size_t i = 0; i < block.bytes; i += 61) wrong += block.data[i] != block.mark;
    cpu_allocator().free(block.data, block.bytes);
  };
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 6; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937_64 random(t);
      for (int round = 0; round < 3000; ++round) {
        const size_t bytes = size_t{1} << (random() % 17);
        Block block{static_cast<unsigned char*>(cpu_allocator().allocate(bytes)), bytes,
                    static_cast<unsigned char>(random())};
        std::memset(block.data, block.mark, bytes);
        {
          std::lock_guard hold(lock);
          exchange.push_back(block);
          if (exchange.size() < 50) continue;
          std::swap(exchange[random() % exchange.size()], exchange.back());
          block = exchange.back();
          exchange.pop_back();
        }
        check_and_free(block);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Block& block : exchange) check_and_free(block);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(memory_stats().live_bytes, live);
}

TEST(Allocator, serves_objects_that_outlive_their_threads_own_blocks) {
  struct Late {
    void* data = nullptr;
    ~Late() {
      if (data) cpu_allocator().free(data, 4096);
    }
  };
  const int64_t live = memory_stats().live_bytes;
  std::thread([] {
    thread_local Late late;  // made before the thread's block cache, so it is destroyed after it
    late.data = cpu_allocator().allocate(4096);
  }).join();
  EXPECT_EQ(memory_stats().live_bytes, live);
}

TEST(Allocator, wastes_at_most_a_quarter) {
  for (size_t bytes = 257; bytes < size_t{1} << 36; bytes = bytes * 9 / 8 + 1) {
    ASSERT_GE(block_bytes(bytes), bytes);
    ASSERT_LE(static_cast<double>(block_bytes(bytes)), static_cast<double>(bytes) * 1.25);
    ASSERT_EQ(block_bytes(block_bytes(bytes)), block_bytes(bytes));
    ASSERT_EQ(block_bytes(bytes) % 64, 0u);
  }
}

TEST(Arena, belongs_to_one_call_and_comes_back) {
  std::byte* data = nullptr;
  {
    const Arena a = lease(cpu_allocator(), 1 << 20), b = lease(cpu_allocator(), 1 << 20);
    EXPECT_TRUE(a.data() + a.bytes() <= b.data() || b.data() + b.bytes() <= a.data());
    data = b.at(0);
  }
  if (keeps_blocks) {
    const Arena first = lease(cpu_allocator(), 1 << 20), second = lease(cpu_allocator(), 1 << 20);
    EXPECT_TRUE(first.data() == data || second.data() == data);
  }
  Arena moved = lease(cpu_allocator(), 64);
  Arena other = std::move(moved);
  EXPECT_EQ(moved.data(), nullptr);
  EXPECT_EQ(other.bytes(), 64u);
}

}  // namespace
}  // namespace vitro::runtime
