// Random words by Philox 4x32-10 (core/generator.h defines them).
#pragma once
#include "kernels/reduce.h"

namespace vitro::kernels::inline VITRO_ISA {

// Four counters of four words, two words in a lane.
using PhiloxState = u64 __attribute__((ext_vector_type(8)));

VITRO_INLINE PhiloxState philox_pairs(u64 a, u64 b) {
  return PhiloxState{a, b, a, b, a, b, a, b};
}

// Ten rounds. A multiplication of the lower halves of all lanes gives both products of a round.
VITRO_INLINE Vec<u32> philox_rounds(PhiloxState c, u64 seed) {
  const u64 low = 0xFFFFFFFF;
  const auto words = [](PhiloxState v)
                         __attribute__((always_inline)) { return __builtin_bit_cast(Vec<u32>, v); };
  const Vec<u32> step = words(philox_pairs(0x9E3779B9, 0xBB67AE85));
  Vec<u32> key = words(philox_pairs(seed & low, seed >> 32));
  for (int round = 0; round < 10; ++round) {
    const Vec<u32> product = words((c & low) * philox_pairs(0xD2511F53, 0xCD9E8D57));
    const Vec<u32> turned = __builtin_shufflevector(product, product, 3, 2, 1, 0, 7, 6, 5, 4, 11,
                                                    10, 9, 8, 15, 14, 13, 12);
    c = __builtin_bit_cast(PhiloxState, turned ^ words(c >> 32) ^ key);
    key += step;
  }
  return words(c);
}

// Sixteen words in turn, from the first of a counter on.
VITRO_INLINE Vec<u32> philox_run(u64 counter, u64 seed, u64 stream) {
  const PhiloxState next{0, 0, 1, 0, 2, 0, 3, 0};
  return philox_rounds(philox_pairs(counter, stream) + next, seed);
}

// The words at any indices.
[[gnu::noinline, maybe_unused]] static Vec<u32> philox_gather(Vec<i64> index, u64 seed,
                                                              u64 stream) {
  u32 out[16];
  for (i64 i = 0; i < 16; i += 4) {
    PhiloxState c = philox_pairs(0, stream);
    for (i64 k = 0; k < 4; ++k) c[2 * k] = u64(index[i + k]) >> 2;
    const Vec<u32> words = philox_rounds(c, seed);
    for (i64 k = 0; k < 4; ++k) out[i + k] = words[4 * k + (index[i + k] & 3)];
  }
  return load(out);
}

// The words at the indices. Seed and stream are equal in all lanes that are used; in the others
// they may be 0.
VITRO_INLINE Vec<i64> philox(Vec<i64> index, Vec<i64> seed, Vec<i64> stream) {
  const i64 first = index[0];
  const u64 key = u64(__builtin_reduce_or(seed)), of = u64(__builtin_reduce_or(stream));
  Vec<u32> words;
  if (!reduce_all(eq(index - splat(first), iota()))) {
    words = philox_gather(index, key, of);
  } else {
    // Lanes that are not used may precede index 0, so that the first block is -1.
    const u64 block = u64(first >> 2);
    words = philox_run(block, key, of);
    if (first & 3) {
      u32 run[32];
      store(run, words);
      store(run + 16, philox_run(block + 4, key, of));
      words = load(run + (first & 3));
    }
  }
  return __builtin_convertvector(words, Vec<i64>);
}

}  // namespace vitro::kernels::inline VITRO_ISA
