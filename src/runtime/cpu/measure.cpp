// Measures peak rates of arithmetic and of reading memory, by running a loop on several threads at
// once and keeping the fastest try.
#include "runtime/cpu/measure.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>

#include "runtime/cpu/block.h"
#include "runtime/cpu/machine.h"
#include "vitro/base/clock.h"
#include "vitro/base/error.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace vitro::runtime {
namespace {

// The fastest try counts.  Measuring ends after idle_tries in a row without a gain: on a busy
// machine it takes more tries until all threads run at the same time.
constexpr int idle_tries = 8, most_tries = 64;

// Starts all threads at once and measures from the first start to the last end.
class Race {
 public:
  explicit Race(int threads) : missing_(threads) {}

  template <class F>
  void run(F&& work) {
    missing_.fetch_sub(1);
    while (missing_.load(std::memory_order_acquire) != 0) std::this_thread::yield();
    const uint64_t begin = ticks();
    work();
    const uint64_t end = ticks();
    lower(begin_, begin);
    raise(end_, end);
  }
  double ns() const {
    return std::max(static_cast<double>(ticks_to_ns(end_.load() - begin_.load())), 1.0);
  }

 private:
  static void lower(std::atomic<uint64_t>& to, uint64_t value) {
    uint64_t now = to.load();
    while (value < now && !to.compare_exchange_weak(now, value)) {
    }
  }
  static void raise(std::atomic<uint64_t>& to, uint64_t value) {
    uint64_t now = to.load();
    while (value > now && !to.compare_exchange_weak(now, value)) {
    }
  }

  std::atomic<int> missing_;
  std::atomic<uint64_t> begin_{UINT64_MAX}, end_{0};
};

// Returns the shortest time in which all threads ran work(thread).
template <class F>
double best_ns(int threads, const F& work) {
  double best = 1e300;
  for (int i = 0, last_gain = 0; i < most_tries && i - last_gain <= idle_tries; ++i) {
    Race race(threads);
    std::vector<std::thread> others;
    for (int t = 1; t < threads; ++t) others.emplace_back([&, t] { race.run([&] { work(t); }); });
    race.run([&] { work(0); });
    for (std::thread& other : others) other.join();
    if (race.ns() < 0.99 * best) last_gain = i;
    best = std::min(best, race.ns());
  }
  return best;
}

// These read blocks of 1 KiB; the asm keeps the loads from being optimised away.
#if defined(__x86_64__)
__attribute__((target("avx512f"))) void read_512(const std::byte* from, size_t bytes) {
  for (size_t at = 0; at < bytes; at += 1024) {
    for (size_t k = 0; k < 1024; k += 64) {
      const __m512i value = _mm512_load_si512(from + at + k);
      __asm__ volatile("" ::"v"(value));
    }
  }
}
__attribute__((target("avx2"))) void read_256(const std::byte* from, size_t bytes) {
  for (size_t at = 0; at < bytes; at += 1024) {
    for (size_t k = 0; k < 1024; k += 32) {
      const __m256i value = _mm256_load_si256(reinterpret_cast<const __m256i*>(from + at + k));
      __asm__ volatile("" ::"x"(value));
    }
  }
}
#endif

void read_words(const std::byte* from, size_t bytes) {
  for (size_t at = 0; at < bytes; at += 1024) {
    for (size_t k = 0; k < 1024; k += 8) {
      const uint64_t value = *reinterpret_cast<const uint64_t*>(from + at + k);
      __asm__ volatile("" ::"r"(value));
    }
  }
}

using ReadFunction = void (*)(const std::byte*, size_t);

ReadFunction read_function() {
#if defined(__x86_64__)
  if (machine().has("avx512f")) return read_512;
  if (machine().has("avx2")) return read_256;
#endif
  return read_words;
}

struct Return {
  size_t bytes;
  void operator()(std::byte* data) const { return_to_system(data, bytes); }
};
using Memory = std::unique_ptr<std::byte, Return>;

Memory filled_memory(size_t bytes) {
  auto* data = static_cast<std::byte*>(take_from_system(bytes));
  VITRO_CHECK(data, "measuring memory: cannot allocate ", bytes, " bytes; free some memory");
  std::fill_n(data, bytes, std::byte{1});
  return Memory(data, Return{bytes});
}

}  // namespace

double gops(const Arithmetic& how, int threads) {
  return static_cast<double>(how.ops) * threads / best_ns(threads, [&](int) { how.run(); });
}

double read_gbytes_per_s(size_t bytes, int threads) {
  constexpr size_t enough = size_t{32} << 20;  // for one try
  bytes = std::max<size_t>(bytes / 1024 * 1024, 1024);
  const size_t passes = std::max<size_t>(enough / bytes, 1);
  std::vector<Memory> memory;
  for (int t = 0; t < threads; ++t) memory.push_back(filled_memory(bytes));
  const ReadFunction read = read_function();
  const double ns = best_ns(threads, [&](int t) {
    const std::byte* from = memory[static_cast<size_t>(t)].get();
    for (size_t pass = 0; pass < passes; ++pass) read(from, bytes);
  });
  return static_cast<double>(bytes) * static_cast<double>(passes) * threads / ns;
}

}  // namespace vitro::runtime
