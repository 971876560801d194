// Products of f32 on AMX tiles, which multiply bf16. A number is the sum of three bf16, high +
// middle + low, and six of the nine products of parts are added up:
//   high*low + high*middle + high*high + low*high + middle*high + middle*middle
// (the algorithm that XLA names BF16_BF16_F32_X6). What is left out is less than the rounding of
// one fma. Tiles add in f32, 32 products at a time, so a sum has smaller errors than by fma
// (docs/numerics.md). Numbers below 2^-126 count as 0, also parts of others, products and sums.
//
// The parts of B are packed, those of A are computed on the way. If a sum is infinite or NaN, its
// row of the panel is computed again by matmul.h, as the parts of an infinity would give NaN.
#pragma once
#include "kernels/matmul.h"
#include "kernels/reduce.h"

#if defined(__AVX512F__)
#define VITRO_TILES [[gnu::target("amx-tile,amx-bf16")]]

namespace vitro::kernels::inline VITRO_ISA {

inline constexpr i64 bf16_parts = 3;
inline constexpr i64 tile_rows = 16;               // of all tiles
inline constexpr i64 tile_k = 32;                  // of A in a row of a tile
inline constexpr i64 tile_words = 256;             // of four bytes, in a tile
inline constexpr i64 bf16x6_depth = 64;            // columns of A that are split at a time
inline constexpr i64 bf16x6_rows = 2 * tile_rows;  // and rows
// Rows of a panel that all rows of A in a block use before the next ones: with a panel of parts
// they stay in the L2 cache. Blocks are higher if there are more, so that they are read less often.
inline constexpr i64 bf16x6_chunk = 768;
inline constexpr i64 bf16x6_panel = MatmulPanel<f32>::columns;  // columns of a panel of B
// A panel has the tiles of each 32 columns after one another, in the order in which they are used:
// for each 32 rows, for each part, the last one first, one tile per 16 columns.
inline constexpr i64 bf16x6_part = 2 * tile_words;
inline constexpr i64 bf16x6_step = bf16_parts * bf16x6_part;

// The words of the tiles of 32 columns.
VITRO_INLINE i64 bf16x6_columns(i64 k) {
  return divide_up(k, tile_k) * bf16x6_step;
}
// Where the tiles of `column`, a multiple of 32 from the start of a panel on, begin.
VITRO_INLINE i64 bf16x6_column(i64 k, i64 column) {
  return column / 32 * bf16x6_columns(k);
}

[[gnu::noinline]] static i64 bf16x6_packed_size(i64 k, i64 n) {
  return panel_count<f32>(n) * bf16x6_panel * bf16x6_panel_rows(k);
}

template <class T>
VITRO_INLINE Vec<u32> words(Vec<T> v) {
  return __builtin_bit_cast(Vec<u32>, v);
}
VITRO_INLINE Vec<f32> as_f32(Vec<u32> v) {
  return __builtin_bit_cast(Vec<f32>, v);
}

// The three parts of each lane, in the upper halves of words. The lower ones of an infinity or a
// NaN are 0.
struct Bf16Parts {
  Vec<u32> part[bf16_parts];
};
VITRO_INLINE Vec<u32> nearest_finite_bf16(Vec<f32> x) {
  const Vec<u32> word = words(x), nearest = (word + (((word >> 16) & 1) + 0x7fff)) & 0xffff0000u;
  const Vec<u32> finite = ((nearest & 0x7fffffffu) < 0x7f800000u) ? nearest : word & 0xffff0000u;
  return (x != x) ? word | 0x400000u : finite;
}
VITRO_INLINE Bf16Parts bf16_parts_of(Vec<f32> x) {
  const Mask finite = lt(abs(x), splat(__builtin_inff()));
  Bf16Parts all;
#pragma clang loop unroll(full)
  for (i64 p = 0; p < bf16_parts; ++p) {
    all.part[p] = nearest_finite_bf16(x) & 0xffff0000u;
    x = select(finite, x - as_f32(all.part[p]), Vec<f32>{});
  }
  return all;
}

// Packs panels [begin, end) of B: row tap * channels + p is at tap * tap_stride + p * row_stride.
// Two rows are interleaved in a row of a tile; every `joined` taps begin with a new tile, and rows
// and columns that do not exist are 0.
[[gnu::noinline]] static void bf16x6_pack(const f32* b, i64 taps, i64 joined, i64 tap_stride,
                                          i64 row_stride, i64 column_stride, i64 channels, i64 n,
                                          f32* packed, i64 begin, i64 end) {
  alignas(64) f32 rows[tile_k * bf16x6_panel];
  const i64 together = joined * channels, steps = divide_up(together, tile_k),
            all = taps / joined * steps, k = all * tile_k;
  for (i64 p = begin; p < end; ++p) {
    const i64 first = p * bf16x6_panel, width = smaller(bf16x6_panel, n - first);
    u32* to = (u32*)packed + bf16x6_column(k, first);
    for (i64 step = 0; step < all; ++step, to += bf16x6_step) {
      const i64 row = step % steps * tile_k, depth = smaller(tile_k, together - row);
      for (i64 i = 0; i < tile_k * bf16x6_panel; i += 16) store(rows + i, Vec<f32>{});
      for (i64 i = 0, count = 0; i < depth; i += count) {
        const i64 tap = step / steps * joined + (row + i) / channels, p = (row + i) % channels;
        count = smaller(channels - p, depth - i);
        matmul_pack_panel<bf16x6_panel, false>(
            b + tap * tap_stride + p * row_stride + first * column_stride, row_stride,
            column_stride, count, width, rows + i * bf16x6_panel);
      }
      for (i64 column = 0; column < bf16x6_panel; column += 16) {
        for (i64 pair = 0; pair < tile_rows; ++pair) {
          const f32* from = rows + 2 * pair * bf16x6_panel + column;
          const Bf16Parts even = bf16_parts_of(load(from)),
                          odd = bf16_parts_of(load(from + bf16x6_panel));
          u32* tile = to + bf16x6_column(k, column) + column % 32 * 16 + pair * 16;
#pragma clang loop unroll(full)
          for (i64 part = 0; part < bf16_parts; ++part) {
            store(tile + (bf16_parts - 1 - part) * bf16x6_part,
                  (even.part[part] >> 16) | odd.part[part]);
          }
        }
      }
    }
  }
}

// The first `depth` rows of a panel of k rows as f32 again.
[[gnu::noinline]] static void bf16x6_unpack(const u32* panel, i64 k, i64 depth, f32* to) {
  for (i64 row = 0; row < depth; ++row) {
    for (i64 column = 0; column < bf16x6_panel; column += 16) {
      const u32* from = panel + row / tile_k * bf16x6_step + row % tile_k / 2 * 16 +
                        bf16x6_column(k, column) + column % 32 * 16;
      Vec<f32> sum = {};
#pragma clang loop unroll(full)
      for (i64 part = 0; part < bf16_parts; ++part) {
        const Vec<u32> pair = load(from + part * bf16x6_part);
        sum = as_f32(row % 2 == 0 ? pair << 16 : pair & 0xffff0000u) + sum;
      }
      store(to + row * bf16x6_panel + column, sum);
    }
  }
}

// The upper halves of the words of two vectors.
VITRO_INLINE Vec<u32> upper_halves(Vec<f32> a, Vec<f32> b) {
  using Halves = u16 __attribute__((ext_vector_type(32)));
  return __builtin_bit_cast(
      Vec<u32>,
      __builtin_shufflevector(__builtin_bit_cast(Halves, a), __builtin_bit_cast(Halves, b), 1, 3, 5,
                              7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31, 33, 35, 37, 39, 41,
                              43, 45, 47, 49, 51, 53, 55, 57, 59, 61, 63));
}
// Rounded to bf16, halves away from 0. Of an infinity, a NaN or a number that rounds to one,
// any: their remainders are infinite or NaN.
VITRO_INLINE Vec<f32> nearest_bf16(Vec<f32> x) {
  return as_f32((words(x) + 0x8000u) & 0xffff0000u);
}
// Writes the parts of 32 elements to a row of three tiles, which are `stride` words apart.
VITRO_INLINE void bf16x6_split(Vec<f32> a, Vec<f32> b, u32* to, i64 stride) {
#pragma clang loop unroll(full)
  for (i64 part = 0; part + 1 < bf16_parts; ++part, to += stride) {
    const Vec<f32> a_part = nearest_bf16(a), b_part = nearest_bf16(b);
    store(to, upper_halves(a_part, b_part));
    a = a - a_part, b = b - b_part;
  }
  store(to, upper_halves(a, b));
}

// Writes the parts of A to tiles [k / 32][row / 16][part], as many rows as fill tiles; rows and
// columns that do not exist are 0.
[[gnu::noinline]] static void bf16x6_split_rows(const f32* a, i64 row_stride, i64 rows, i64 depth,
                                                u32* to) {
  const i64 padded = divide_up(rows, tile_rows) * tile_rows, whole = depth / tile_k * tile_k;
  constexpr i64 next = bf16_parts * bf16x6_rows / tile_rows * tile_words;
  for (i64 row = 0; row < padded; ++row, a += row_stride) {
    u32* tile = to + row / tile_rows * (bf16_parts * tile_words) + row % tile_rows * 16;
    const i64 count = row < rows ? depth : 0;
    for (i64 p = 0; p < depth; p += tile_k, tile += next) {
      if (count > 0 && p < whole) {
        bf16x6_split(load(a + p), load(a + p + 16), tile, tile_words);
      } else {
        bf16x6_split(load(a + p, count - p), load(a + p + 16, count - p - 16), tile, tile_words);
      }
    }
  }
}

struct alignas(64) TileShapes {
  u8 palette = 1, start_row = 0, reserved[14] = {};
  u16 row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  u8 rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
inline constexpr TileShapes tile_shapes;

// Tiles 0 to 3 are sums, of 16 * row_tiles rows and 16 * column_tiles columns; 4 and 5 are parts of
// A, 6 and 7 parts of B.
template <int row_tiles, int column_tiles>
struct Bf16x6Tiles {
  static constexpr bool tall = row_tiles > 1, wide = column_tiles > 1;

  // The sums from c, whose rows are `stride` apart, if `add`; otherwise 0.
  VITRO_TILES [[gnu::always_inline]] static void begin(const f32* c, i64 stride, bool add) {
    if (!add) {
      __builtin_ia32_tilezero(0);
      __builtin_ia32_tilezero(1);
      __builtin_ia32_tilezero(2);
      __builtin_ia32_tilezero(3);
      return;
    }
    const f32* below = c + 16 * stride;
    const i64 bytes = 4 * stride;
    __builtin_ia32_tileloadd64(0, c, bytes);
    if constexpr (wide) __builtin_ia32_tileloadd64(1, c + 16, bytes);
    if constexpr (tall) __builtin_ia32_tileloadd64(2, below, bytes);
    if constexpr (tall && wide) __builtin_ia32_tileloadd64(3, below + 16, bytes);
  }

  VITRO_TILES [[gnu::always_inline]] static void end(f32* c, i64 stride) {
    f32* below = c + 16 * stride;
    const i64 bytes = 4 * stride;
    __builtin_ia32_tilestored64(0, c, bytes);
    if constexpr (wide) __builtin_ia32_tilestored64(1, c + 16, bytes);
    if constexpr (tall) __builtin_ia32_tilestored64(2, below, bytes);
    if constexpr (tall && wide) __builtin_ia32_tilestored64(3, below + 16, bytes);
  }

  // The six products of 32 columns of A with their rows of a panel. Parts of A are `part` words
  // apart, the second 16 rows are at `below`.
  template <i64 part>
  VITRO_TILES [[gnu::always_inline]] static void add(const u32* a, const u32* below, i64 row_bytes,
                                                     const u32* b) {
    left(a, below, row_bytes);
    right(b);
    multiply();
    right(b + bf16x6_part);
    multiply();
    right(b + 2 * bf16x6_part);
    multiply();
    left(a + 2 * part, below + 2 * part, row_bytes);
    multiply();
    left(a + part, below + part, row_bytes);
    multiply();
    right(b + bf16x6_part);
    multiply();
  }

 private:
  VITRO_TILES [[gnu::always_inline]] static void left(const u32* a, const u32* below,
                                                      i64 row_bytes) {
    __builtin_ia32_tileloadd64(4, a, row_bytes);
    if constexpr (tall) __builtin_ia32_tileloadd64(5, below, row_bytes);
  }
  VITRO_TILES [[gnu::always_inline]] static void right(const u32* b) {
    __builtin_ia32_tileloadd64(6, b, 64);
    if constexpr (wide) __builtin_ia32_tileloadd64(7, b + tile_words, 64);
  }
  VITRO_TILES [[gnu::always_inline]] static void multiply() {
    __builtin_ia32_tdpbf16ps(0, 4, 6);
    if constexpr (wide) __builtin_ia32_tdpbf16ps(1, 4, 7);
    if constexpr (tall) __builtin_ia32_tdpbf16ps(2, 5, 6);
    if constexpr (tall && wide) __builtin_ia32_tdpbf16ps(3, 5, 7);
  }
};

// c (+)= a * b. Prefetches as many columns of some rows of A from `ahead` on.
template <int row_tiles, int column_tiles>
VITRO_TILES [[gnu::noinline]] static void bf16x6_tiles(const u32* a, const u32* b, i64 steps,
                                                       f32* c, i64 c_stride, bool add,
                                                       const f32* ahead, i64 ahead_stride,
                                                       i64 ahead_rows) {
  using Tiles = Bf16x6Tiles<row_tiles, column_tiles>;
  Tiles::begin(c, c_stride, add);
  for (; steps > 0; --steps) {
#pragma clang loop unroll(disable)
    for (i64 row = 0; row < ahead_rows; ++row) {
      __builtin_prefetch(ahead + row * ahead_stride, 0, 2);
      __builtin_prefetch(ahead + row * ahead_stride + 16, 0, 2);
    }
    Tiles::template add<tile_words>(a, a + bf16_parts * tile_words, 64, b);
    a += bf16_parts * bf16x6_rows / tile_rows * tile_words, b += bf16x6_step, ahead += tile_k;
  }
  Tiles::end(c, c_stride);
}

// Whether a sum is infinite or NaN.
[[gnu::noinline]] static bool any_special(const f32* c, i64 stride, i64 rows, i64 columns) {
  Vec<u32> largest = {};
  for (i64 i = 0; i < rows; ++i) {
    for (i64 j = 0; j < columns; j += 16)
      largest = __builtin_elementwise_max(largest, words(load(c + i * stride + j)) & 0x7fffffffu);
  }
  return reduce_any(ge(largest, splat(0x7f800000u)));
}

// A call of bf16x6_multiply for one panel by matmul.h.
[[gnu::noinline]] static void bf16x6_multiply_by_fma(const ProductCall& call) {
  constexpr i64 depth = tile_k * 4;
  alignas(64) f32 panel[depth * bf16x6_panel];
  for (i64 k0 = 0; k0 < call.k; k0 += depth) {
    const i64 count = smaller(depth, call.k - k0);
    bf16x6_unpack((const u32*)call.b + k0 / tile_k * bf16x6_step, call.k, count, panel);
    matmul_multiply<f32, f32, f32>({call.rows, call.columns, count, (const f32*)call.a + k0,
                                    call.a_row_stride, 1, panel, bf16x6_panel, count * bf16x6_panel,
                                    call.c, call.c_row_stride, k0 > 0});
  }
}

// Computes the rows of each panel again in which a sum is infinite or NaN: others keep their bits,
// however the product is cut.
[[gnu::noinline]] static void bf16x6_repair(const ProductCall& call) {
  ProductCall part = call;
  for (i64 column = 0; column < call.columns; column += bf16x6_panel) {
    part.columns = smaller(bf16x6_panel, call.columns - column);
    const f32* c = (const f32*)call.c + column;
    const auto is_special = [&](i64 row) {
      return any_special(c + row * call.c_row_stride, 0, 1, part.columns);
    };
    for (i64 row = 0, end = 0; row < call.rows; row = end + 1) {
      for (end = row; end < call.rows && is_special(end);) ++end;
      part.rows = end - row;
      part.a = (const f32*)call.a + row * call.a_row_stride;
      part.c = (f32*)call.c + column + row * call.c_row_stride;
      if (part.rows > 0) bf16x6_multiply_by_fma(part);
    }
    part.b = (const u32*)part.b + bf16x6_column(call.k, bf16x6_panel);
  }
}

// Blocks of whole pairs of tiles, if there are enough of them.
[[gnu::noinline]] static ProductCut bf16x6_cut(i64 m, i64 n, i64 k, i64 threads) {
  const i64 wanted = threads > 1 ? 4 * threads : 1, unit = m > tile_rows ? bf16x6_rows : tile_rows;
  ProductCut cut{m,
                 n,
                 unit,
                 divide_up(m, k > bf16x6_chunk ? product_bf16x6_rows : product_rows),
                 product_columns<f32>,
                 0};
  const auto count = [&] { return cut.count = cut.row_blocks * divide_up(n, cut.columns); };
  while (count() < wanted && cut.row_blocks < divide_up(m, unit))
    cut.row_blocks = smaller(2 * cut.row_blocks, divide_up(m, unit));
  while (count() < wanted && cut.columns > bf16x6_panel) cut.columns /= 2;
  return cut;
}

// A call with an a_k_stride of 1, for all of k: not `add`. C has rows up to the next multiple
// of 16.
VITRO_TILES [[gnu::noinline]] static void bf16x6_multiply(const ProductCall& call) {
  static_assert(2 * bf16x6_step == bf16x6_panel_rows(tile_k) * bf16x6_panel);
  alignas(64) u32 left[bf16x6_depth / tile_k * bf16_parts * bf16x6_rows / tile_rows * tile_words];
  const i64 ahead_rows = divide_up(bf16x6_rows, divide_up(call.columns, 32));
  __builtin_ia32_tile_loadconfig(&tile_shapes);
  for (i64 chunk = 0; chunk < call.k; chunk += bf16x6_chunk) {
    const i64 end = smaller(call.k, chunk + bf16x6_chunk);
    for (i64 row = 0; row < call.rows; row += bf16x6_rows) {
      const i64 rows = smaller(bf16x6_rows, call.rows - row);
      const bool tall = rows > tile_rows;
      for (i64 k0 = chunk; k0 < end; k0 += bf16x6_depth) {
        const i64 depth = smaller(bf16x6_depth, end - k0), steps = divide_up(depth, tile_k);
        const f32* a = (const f32*)call.a + row * call.a_row_stride + k0;
        bf16x6_split_rows(a, call.a_row_stride, rows, depth, left);
        const f32* ahead = a + bf16x6_rows * call.a_row_stride;
        for (i64 column = 0; column < call.columns; column += 32) {
          const u32* b =
              (const u32*)call.b + k0 / tile_k * bf16x6_step + bf16x6_column(call.k, column);
          const bool wide = call.columns - column > 16;
          const auto tiles = tall ? wide ? bf16x6_tiles<2, 2> : bf16x6_tiles<2, 1>
                                  : (wide ? bf16x6_tiles<1, 2> : bf16x6_tiles<1, 1>);
          tiles(left, b, steps, (f32*)call.c + row * call.c_row_stride + column, call.c_row_stride,
                k0 > 0, ahead, call.a_row_stride, ahead_rows);
          ahead += ahead_rows * call.a_row_stride;
        }
      }
    }
  }
  __builtin_ia32_tilerelease();
  if (any_special((const f32*)call.c, call.c_row_stride, call.rows, call.columns))
    bf16x6_repair(call);
}

}  // namespace vitro::kernels::inline VITRO_ISA
#undef VITRO_TILES
#endif
