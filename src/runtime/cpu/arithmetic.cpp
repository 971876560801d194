// The inner loops that reach a processor's peak: independent chains of multiply-adds on registers.
#include "kernels/machine.h"
#include "runtime/cpu/machine.h"
#include "runtime/cpu/measure.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace vitro::runtime {
namespace {

// Enough independent sums to hide the latency of a multiply-add on every current machine.
constexpr int chains = 12;  // and in the pragmas below
constexpr int rounds = 100'000;

constexpr int64_t ops_of(int64_t lanes) {
  return 2 * lanes * chains * rounds;
}

// Runs `step` on all chains repeatedly; the asm keeps the results from being optimised away, and
// the chains, which begin alike, from being merged.  A macro, because functions for different
// instruction sets are not inlined.  The loops over the chains are unrolled: else the sums are in
// memory, and stores are what is measured.
#define VITRO_CHAINS(V, start, step)                \
  V sums[chains];                                   \
  _Pragma("GCC unroll 12") for (V & sum : sums) {   \
    sum = start;                                    \
    __asm__ volatile("" : "+v"(sum));               \
  }                                                 \
  for (int i = 0; i < rounds; ++i) {                \
    _Pragma("GCC unroll 12") for (V & sum : sums) { \
      sum = step;                                   \
    }                                               \
  }                                                 \
  _Pragma("GCC unroll 12") for (V & sum : sums) __asm__ volatile("" ::"v"(sum));

#if defined(__x86_64__)

__attribute__((target("avx512f"))) void f32_512() {
  const __m512 factor = _mm512_set1_ps(0.999f), addend = _mm512_set1_ps(0.5f);
  VITRO_CHAINS(__m512, addend, _mm512_fmadd_ps(sum, factor, addend))
}
__attribute__((target("avx512f"))) void f64_512() {
  const __m512d factor = _mm512_set1_pd(0.999), addend = _mm512_set1_pd(0.5);
  VITRO_CHAINS(__m512d, addend, _mm512_fmadd_pd(sum, factor, addend))
}
__attribute__((target("avx2,fma"))) void f32_256() {
  const __m256 factor = _mm256_set1_ps(0.999f), addend = _mm256_set1_ps(0.5f);
  VITRO_CHAINS(__m256, addend, _mm256_fmadd_ps(sum, factor, addend))
}
__attribute__((target("avx2,fma"))) void f64_256() {
  const __m256d factor = _mm256_set1_pd(0.999), addend = _mm256_set1_pd(0.5);
  VITRO_CHAINS(__m256d, addend, _mm256_fmadd_pd(sum, factor, addend))
}
__attribute__((target("avx512fp16,avx512vl"))) void f16_512() {
  const __m512h factor = _mm512_set1_ph(static_cast<_Float16>(0.5f)),
                addend = _mm512_set1_ph(static_cast<_Float16>(0.25f));
  VITRO_CHAINS(__m512h, addend, _mm512_fmadd_ph(sum, factor, addend))
}
__attribute__((target("avx512bf16,avx512f"))) void bf16_512() {
  const auto pairs = reinterpret_cast<__m512bh>(_mm512_set1_epi16(0x3c00));
  VITRO_CHAINS(__m512, _mm512_setzero_ps(), _mm512_dpbf16_ps(sum, pairs, pairs))
}
__attribute__((target("avx512vnni,avx512f"))) void i8_512() {
  const __m512i ones = _mm512_set1_epi8(1);
  VITRO_CHAINS(__m512i, ones, _mm512_dpbusd_epi32(sum, ones, ones))
}
__attribute__((target("avxvnni,avx2"))) void i8_256() {
  const __m256i ones = _mm256_set1_epi8(1);
  VITRO_CHAINS(__m256i, ones, _mm256_dpbusd_avx_epi32(sum, ones, ones))
}

// The configuration of AMX tiles: 16 rows of 64 bytes each.
struct alignas(64) TileShapes {
  uint8_t palette = 1, start_row = 0, reserved[14] = {};
  uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
// A constant in memory: GCC's _tile_loadconfig declares that it reads eight bytes of its operand,
// so that stores to the other ones may be removed.
constexpr TileShapes tile_shapes;
constexpr int tile_sums = 4;
constexpr int64_t tile_macs_bf16 = 16 * 16 * 32, tile_macs_i8 = 16 * 16 * 64;

__attribute__((target("amx-tile,amx-bf16"))) void bf16_tiles() {
  _tile_loadconfig(&tile_shapes);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  _tile_zero(4);
  _tile_zero(5);
  for (int i = 0; i < rounds; ++i) {
    _tile_dpbf16ps(0, 4, 5);
    _tile_dpbf16ps(1, 4, 5);
    _tile_dpbf16ps(2, 4, 5);
    _tile_dpbf16ps(3, 4, 5);
  }
  _tile_release();
}
__attribute__((target("amx-tile,amx-int8"))) void i8_tiles() {
  _tile_loadconfig(&tile_shapes);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  _tile_zero(4);
  _tile_zero(5);
  for (int i = 0; i < rounds; ++i) {
    _tile_dpbssd(0, 4, 5);
    _tile_dpbssd(1, 4, 5);
    _tile_dpbssd(2, 4, 5);
    _tile_dpbssd(3, 4, 5);
  }
  _tile_release();
}

#endif

template <class T>
void any_128() {
  typedef T V __attribute__((vector_size(16)));  // NOLINT(modernize-use-using)
  const V factor = V{} + static_cast<T>(0.999), addend = V{} + static_cast<T>(0.5);
#if defined(__x86_64__)
  VITRO_CHAINS(V, addend, sum * factor + addend)
#else
  V sums[chains];
#pragma GCC unroll 12
  for (V& sum : sums) {
    sum = addend;
    __asm__ volatile("" : "+w"(sum));
  }
  for (int i = 0; i < rounds; ++i) {
#pragma GCC unroll 12
    for (V& sum : sums) sum = sum * factor + addend;
  }
#pragma GCC unroll 12
  for (V& sum : sums) __asm__ volatile("" ::"w"(sum));
#endif
}

}  // namespace

std::vector<Arithmetic> arithmetic() {
  const Machine& m = machine();
  std::vector<Arithmetic> all;
#if defined(__x86_64__)
  if (m.has("avx512f")) {
    all.push_back({"f32", "avx512f", ops_of(16), f32_512});
    all.push_back({"f64", "avx512f", ops_of(8), f64_512});
  } else if (m.has("avx2") && m.has("fma")) {
    all.push_back({"f32", "fma", ops_of(8), f32_256});
    all.push_back({"f64", "fma", ops_of(4), f64_256});
  }
  if (m.has("avx512fp16")) all.push_back({"f16", "avx512fp16", ops_of(32), f16_512});
  if (m.has("avx512bf16")) all.push_back({"bf16", "avx512bf16", ops_of(32), bf16_512});
  if (m.has("avx512vnni")) all.push_back({"i8", "avx512vnni", ops_of(64), i8_512});
  if (m.has("avxvnni")) all.push_back({"i8", "avxvnni", ops_of(32), i8_256});
  const int64_t tiles = 2 * tile_sums * rounds;
  if (m.has("amx-tile") && (m.has("amx-bf16") || m.has("amx-int8")) && kernels::may_use_tiles()) {
    if (m.has("amx-bf16")) all.push_back({"bf16", "amx-bf16", tiles * tile_macs_bf16, bf16_tiles});
    if (m.has("amx-int8")) all.push_back({"i8", "amx-int8", tiles * tile_macs_i8, i8_tiles});
  }
#endif
  if (all.empty() || all.front().dtype != "f32") {
    all.push_back({"f32", "", ops_of(4), any_128<float>});
    all.push_back({"f64", "", ops_of(2), any_128<double>});
  }
  return all;
}

}  // namespace vitro::runtime
