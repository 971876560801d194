#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "runtime/cpu/machine.h"
#include "vitro/base/clock.h"
#include "vitro/runtime/parallel.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace vitro::runtime {
namespace {

// So many sums at a time hide the latency of the multiply-add on every machine of these years.
constexpr int chains = 12;
constexpr int rounds = 100'000;
constexpr int tries = 8;  // the fastest counts

struct Loop {
  float (*run)();
  int lanes;
};

#if defined(__x86_64__)

__attribute__((target("avx512f"))) float multiply_add_512() {
  const __m512 factor = _mm512_set1_ps(0.999f), addend = _mm512_set1_ps(0.5f);
  __m512 sums[chains];
  for (__m512& sum : sums) sum = addend;
  for (int i = 0; i < rounds; ++i) {
    for (__m512& sum : sums) sum = _mm512_fmadd_ps(sum, factor, addend);
  }
  for (int c = 1; c < chains; ++c) sums[0] = _mm512_add_ps(sums[0], sums[c]);
  return _mm512_cvtss_f32(sums[0]);
}

__attribute__((target("avx2,fma"))) float multiply_add_256() {
  const __m256 factor = _mm256_set1_ps(0.999f), addend = _mm256_set1_ps(0.5f);
  __m256 sums[chains];
  for (__m256& sum : sums) sum = addend;
  for (int i = 0; i < rounds; ++i) {
    for (__m256& sum : sums) sum = _mm256_fmadd_ps(sum, factor, addend);
  }
  for (int c = 1; c < chains; ++c) sums[0] = _mm256_add_ps(sums[0], sums[c]);
  return _mm256_cvtss_f32(sums[0]);
}

#endif

float multiply_add_128() {
  using Lanes = float __attribute__((vector_size(16)));
  const Lanes factor = {0.999f, 0.999f, 0.999f, 0.999f}, addend = {0.5f, 0.5f, 0.5f, 0.5f};
  Lanes sums[chains];
  for (Lanes& sum : sums) sum = addend;
  for (int i = 0; i < rounds; ++i) {
    for (Lanes& sum : sums) sum = sum * factor + addend;
  }
  for (int c = 1; c < chains; ++c) sums[0] += sums[c];
  return sums[0][0];
}

Loop widest_loop() {
#if defined(__x86_64__)
  if (machine().has("avx512f")) return {multiply_add_512, 16};
  if (machine().has("avx2") && machine().has("fma")) return {multiply_add_256, 8};
#endif
  return {multiply_add_128, 4};
}

// The shortest time of several runs; what they compute is kept from being optimised away.
template <class F>
double best_ns(F run) {
  double best = 1e30;
  for (int i = 0; i < tries; ++i) {
    const uint64_t begin = ticks();
    const auto result = run();
    __asm__ volatile("" ::"m"(result));
    best = std::min(best, static_cast<double>(ticks_to_ns(ticks() - begin)));
  }
  return std::max(best, 1.0);
}

double measure_peak() {
  const Loop loop = widest_loop();
  return 2.0 * loop.lanes * chains * rounds / best_ns(loop.run);
}

double measure_bandwidth() {
  // Four times the last cache, so that nearly all of it comes from memory.
  const size_t bytes = std::clamp<size_t>(machine().l3_bytes * 4, 128u << 20, 1u << 30);
  std::vector<uint64_t> data(bytes / sizeof(uint64_t), 1);
  const auto read_all = [&] {
    std::atomic<uint64_t> total{0};
    parallel_for(static_cast<int64_t>(data.size()), 1 << 16, [&](int64_t begin, int64_t end) {
      uint64_t sum = 0;
      for (int64_t i = begin; i < end; ++i) sum += data[i];
      total.fetch_add(sum, std::memory_order_relaxed);
    });
    return total.load();
  };
  return static_cast<double>(bytes) / best_ns(read_all);
}

}  // namespace

double peak_gflops_of_a_core() {
  static const double peak = measure_peak();
  return peak;
}

double memory_gbytes_per_s() {
  static const double bandwidth = measure_bandwidth();
  return bandwidth;
}

}  // namespace vitro::runtime
