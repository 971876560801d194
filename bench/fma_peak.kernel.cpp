#include "fma_peak.h"

#include "kernels/vector.h"

namespace vitro::bench::VITRO_ISA {

using namespace kernels;

// Independent chains: more than latency times throughput of an FMA, but not more than there are
// registers.
#if defined(__AVX512F__)
constexpr int sums = 12;
#elif defined(__AVX2__)
constexpr int sums = 6;
#else
constexpr int sums = 2;
#endif

static void run(long rounds) {
  Vec<f32> sum[sums] = {}, a = splat(0.5f), b = splat(1e-3f);
  asm volatile("" : "+m"(a), "+m"(b));
#pragma clang loop unroll(disable)
  for (; rounds > 0; --rounds) {
#pragma clang loop unroll(full)
    for (int i = 0; i < sums; ++i) sum[i] = fma(sum[i], a, b);
  }
  asm volatile("" : : "m"(sum));
}

extern const FmaPeak fma_loop = {run, sums * 16};

}  // namespace vitro::bench::VITRO_ISA
