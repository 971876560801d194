// Softmax and layer norm of one dense f32 row, every step rounded and every sum ordered as in their
// programs (src/ops/norm.cpp): the same bits in one visit instead of five.
#include "eager/kernel_table.h"
#include "kernels/exp.h"
#include "kernels/memory.h"
#include "kernels/reduce.h"
#include "kernels/round.h"

namespace vitro::eager::inline VITRO_ISA {
namespace {

namespace k = vitro::kernels;
using k::f32;
using k::i64;
using Floats = k::Vec<f32>;

constexpr i64 chunk = 4096;  // ops::reduction_chunk

// The sum of part(i, n) for i = 0, 16, ... below `n`, in the order of vitro/ops/reduce.h; `part`
// gives sixteen values, of which the first n - i count.
template <class Part>
VITRO_INLINE f32 ordered_sum(i64 n, Part part) {
  f32 total = 0;
  for (i64 begin = 0; begin < n; begin += chunk) {
    const i64 end = n - begin < chunk ? n : begin + chunk;
    Floats lanes{};
    i64 i = begin;
    for (; i + 16 <= end; i += 16) lanes = lanes + part(i, i64(16));
    if (i < end) lanes = k::select(k::first_lanes(end - i), lanes + part(i, end - i), lanes);
    const f32 sum = k::reduce_sum(lanes);
    total = begin == 0 ? sum : total + sum;
  }
  return total;
}

// f(i, n) for i = 0, 16, ... below n.
template <class F>
VITRO_INLINE void each(i64 n, F f) {
  i64 i = 0;
  for (; i + 16 <= n; i += 16) f(i, i64(16));
  if (i < n) f(i, n - i);
}

VITRO_INLINE Floats some(const f32* p, i64 n) {
  return n == 16 ? k::load(p) : k::load(p, n);
}
VITRO_INLINE void put(f32* p, Floats v, i64 n) {
  n == 16 ? k::store(p, v) : k::store(p, v, n);
}

#define VITRO_BODY __attribute__((always_inline))

void softmax_row(const f32* x, f32* y, i64 n) {
  Floats lanes = k::splat(-__builtin_inff());
  each(n, [&](i64 i, i64 count) VITRO_BODY {
    const Floats more = k::maximum(lanes, some(x + i, count));
    lanes = count == 16 ? more : k::select(k::first_lanes(count), more, lanes);
  });
  const Floats most = k::splat(k::reduce_max(lanes));
  const f32 sum = ordered_sum(n, [&](i64 i, i64 count) VITRO_BODY {
    const Floats e = k::exp(some(x + i, count) - most);
    put(y + i, e, count);
    return e;
  });
  const Floats total = k::splat(sum);
  each(n, [&](i64 i, i64 count) VITRO_BODY { put(y + i, some(y + i, count) / total, count); });
}

void layer_norm_row(const f32* x, const f32* weight, const f32* bias, f32 eps, f32* y, f32* mean,
                    f32* scale, i64 n) {
  const f32 count = static_cast<f32>(n);
  *mean = ordered_sum(n, [&](i64 i, i64 some_n) VITRO_BODY { return some(x + i, some_n); }) / count;
  const Floats center = k::splat(*mean);
  const f32 squares = ordered_sum(n, [&](i64 i, i64 some_n) VITRO_BODY {
    const Floats distance = some(x + i, some_n) - center;
    return distance * distance;
  });
  *scale = k::rsqrt(k::splat(squares / count + eps))[0];
  const Floats factor = k::splat(*scale);
  each(n, [&](i64 i, i64 some_n) VITRO_BODY {
    Floats v = (some(x + i, some_n) - center) * factor;
    if (weight) v = v * some(weight + i, some_n);
    if (bias) v = v + some(bias + i, some_n);
    put(y + i, v, some_n);
  });
}

}  // namespace

void fill_rows(KernelTable& table) {
  table.softmax_row = &softmax_row;
  table.layer_norm_row = &layer_norm_row;
}

}  // namespace vitro::eager::inline VITRO_ISA
