// Gradients of the weights of depthwise convolutions: a tile of taps times sixteen channels stays
// in registers over adjacent positions of a line.
//
//   depthwise_weights_tile<f32>(run);       // called by multiply_depthwise_weights()
//
// Not part of the prelude: compiled ahead only (matmul_table.kernel.cpp).
#pragma once
#include "kernels/matmul.h"
#include "kernels/matmul_table.h"

namespace vitro::kernels::inline VITRO_ISA {

// The taps of a tile: as many as leave registers for the gradient. f64 has fewer, for less code.
template <class Acc>
inline constexpr int depthwise_weights_taps =
#if defined(__AVX512F__)
    sizeof(Acc) == 4 ? 9 : 5;
#elif defined(__AVX2__)
    sizeof(Acc) == 4 ? 5 : 3;
#else
    1;
#endif

#if defined(__x86_64__) && !defined(__AVX2__)
// One by one: there is no fma of vectors.
template <class Acc>
[[gnu::noinline]] static void depthwise_weights_tile(const DepthwiseWeightsRun& run) {
  const Acc *x = (const Acc*)run.x + *run.from, *b = (const Acc*)run.b;
  Acc* sums = (Acc*)run.sums + *run.to;
  for (i64 at = 0; at < run.count; ++at, x += run.x_step, b += run.b_step) {
#pragma clang loop unroll(disable) vectorize(disable)
    for (i64 j = 0; j < smaller(run.left, 16); ++j)
      sums[j] = __builtin_elementwise_fma(x[j], b[j], sums[j]);
  }
}
#else
template <bool part, class Acc>
VITRO_INLINE void depthwise_weights_add(const DepthwiseWeightsRun& run) {
  constexpr int taps = depthwise_weights_taps<Acc>;
  Vec<Acc> sum[taps];
  const Acc *x[taps], *b = (const Acc*)run.b;
#pragma clang loop unroll(full)
  for (int t = 0; t < taps; ++t) {
    x[t] = (const Acc*)run.x + run.from[t];
    sum[t] = load((const Acc*)run.sums + run.to[t]);
  }
#pragma clang loop unroll(disable)
  for (i64 at = 0, left = run.count; left > 0; --left, at += run.x_step, b += run.b_step) {
    const Vec<Acc> right = part ? load(b, run.left) : load(b);
#pragma clang loop unroll(full)
    for (int t = 0; t < taps; ++t)
      sum[t] = fma(part ? load(x[t] + at, run.left) : load(x[t] + at), right, sum[t]);
  }
#pragma clang loop unroll(full)
  for (int t = 0; t < taps; ++t) store((Acc*)run.sums + run.to[t], sum[t]);
}

// Only f32 has code of its own for sixteen channels.
template <class Acc>
[[gnu::noinline]] static void depthwise_weights_tile(const DepthwiseWeightsRun& run) {
  if (sizeof(Acc) == 4 && run.left >= 16) return depthwise_weights_add<false, Acc>(run);
  depthwise_weights_add<true, Acc>(run);
}
#endif

}  // namespace vitro::kernels::inline VITRO_ISA
