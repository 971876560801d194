// Windows of 3 x 3 with stride 1 by Winograd's algorithm F(m x m, 3 x 3): a tile of m x m positions
// needs (m + 2)^2 multiplications for each channel and column instead of 9 m^2.
//   S. Winograd, Arithmetic Complexity of Computations, 1980;
//   A. Lavin, S. Gray, Fast Algorithms for Convolutional Neural Networks, 2016.
// A block of tiles is transformed to V[point][tile][channel]. For each panel of the weights, which
// are transformed, too, the products M[point][tile][column] are computed and transformed back at
// once, so that only V has to stay in the cache.
//
// A row of a window is a polynomial, and the product of polynomials is interpolated from its values
// at 0, +-p[0], +-p[1].. and infinity. F(4 x 4) at 3/4 and 3/2 is about half as inexact as at the
// usual 1 and 2.
//
// Not part of the prelude: compiled ahead only (matmul_table.kernel.cpp).
#pragma once
#include "kernels/matmul_windows.h"

namespace vitro::kernels::inline VITRO_ISA {

#if defined(__AVX512F__)
inline constexpr i64 winograd_lanes = 16;
#elif defined(__AVX2__)
inline constexpr i64 winograd_lanes = 8;
#else
inline constexpr i64 winograd_lanes = 1;  // short text: fma is a call
#endif
// Before loops over the points of a transform: unrolled, they stay in registers; without vectors
// that would only be long.
#if defined(__AVX2__)
#define VITRO_TRANSFORM_LOOP _Pragma("clang loop unroll(full)")
#else
#define VITRO_TRANSFORM_LOOP _Pragma("clang loop unroll(disable)")
#endif
// One register: a transform keeps (m + 2)^2 of them.
using WinogradVec = f32 __attribute__((ext_vector_type(winograd_lanes)));

VITRO_INLINE WinogradVec winograd_load(const f32* p) {
  WinogradVec v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
VITRO_INLINE void winograd_store(f32* p, WinogradVec v) {
  __builtin_memcpy(p, &v, sizeof v);
}
VITRO_INLINE WinogradVec winograd_fma(f64 c, WinogradVec a, WinogradVec b) {
  return __builtin_elementwise_fma((WinogradVec)(f32(c)), a, b);
}

template <int m>
struct WinogradPoints;
template <>
struct WinogradPoints<2> {
  static constexpr f64 p[] = {1};
};
template <>
struct WinogradPoints<4> {
  static constexpr f64 p[] = {0.75, 1.5};
};

// The coefficients of the product of (x - p[j]^2) over all pairs of points except `without`.
template <int m>
struct WinogradFactors {
  f64 c[m / 2 + 1] = {1};
  constexpr explicit WinogradFactors(int without = -1) {
    int degree = 0;
    for (int j = 0; j < m / 2; ++j) {
      if (j == without) continue;
      const f64 square = WinogradPoints<m>::p[j] * WinogradPoints<m>::p[j];
      ++degree;
      for (int k = degree; k >= 0; --k)
        c[k] = (k > 0 ? c[k - 1] : 0) - square * (k < degree ? c[k] : 0);
    }
  }
};

// The sum of c[k] * d[2 * k].
template <int terms>
VITRO_INLINE WinogradVec winograd_dot(const f64* c, const WinogradVec* d) {
  WinogradVec sum = c[terms - 1] == 1 ? d[2 * (terms - 1)]
                                      : (WinogradVec)(f32(c[terms - 1])) * d[2 * (terms - 1)];
  VITRO_TRANSFORM_LOOP
  for (int k = 0; k < terms - 1; ++k) sum = winograd_fma(c[k], d[2 * k], sum);
  return sum;
}

// m + 2 elements of a row to values at the points.
template <int m>
VITRO_INLINE void winograd_to_points(const WinogradVec* d, WinogradVec* values) {
  constexpr int pairs = m / 2;
  static constexpr WinogradFactors<m> all;
  values[0] = winograd_dot<pairs + 1>(all.c, d);
  values[m + 1] = winograd_dot<pairs + 1>(all.c, d + 1);
  VITRO_TRANSFORM_LOOP
  for (int i = 0; i < pairs; ++i) {
    const WinogradFactors<m> others(i);
    const WinogradVec even = winograd_dot<pairs>(others.c, d + 2),
                      odd = winograd_dot<pairs>(others.c, d + 1);
    values[1 + 2 * i] = winograd_fma(WinogradPoints<m>::p[i], odd, even);
    values[2 + 2 * i] = winograd_fma(-WinogradPoints<m>::p[i], odd, even);
  }
}

// Values at the m + 2 points to sums: m of three factors, or three of m factors.
template <int m, int count = m>
VITRO_INLINE void winograd_from_points(const WinogradVec* values, WinogradVec* sums) {
  constexpr int pairs = m / 2;
  WinogradVec plus[pairs], minus[pairs];
  f64 power[pairs];
  VITRO_TRANSFORM_LOOP
  for (int i = 0; i < pairs; ++i) {
    plus[i] = values[1 + 2 * i] + values[2 + 2 * i];
    minus[i] = values[1 + 2 * i] - values[2 + 2 * i];
    power[i] = 1;
  }
  VITRO_TRANSFORM_LOOP
  for (int j = 0; j < count; ++j) {
    WinogradVec sum = j == 0 ? values[0] : j == count - 1 ? values[m + 1] : WinogradVec{};
    VITRO_TRANSFORM_LOOP
    for (int i = 0; i < pairs; ++i) {
      sum = winograd_fma(power[i], j % 2 ? minus[i] : plus[i], sum);
      power[i] *= WinogradPoints<m>::p[i];
    }
    sums[j] = sum;
  }
}

// Three taps, `step` apart, to m + 2 factors, `to_step` apart.
template <int m>
VITRO_INLINE void winograd_weights_to_points(const Vec<f64>* taps, int step, Vec<f64>* factors,
                                             int to_step) {
  constexpr WinogradFactors<m> all;
  factors[0] = taps[0] / splat(all.c[0]);
  factors[(m + 1) * to_step] = taps[2 * step];
  VITRO_TRANSFORM_LOOP
  for (int i = 0; i < m / 2; ++i) {
    const f64 p = WinogradPoints<m>::p[i];
    f64 scale = 2 * p * p;
    for (int j = 0; j < m / 2; ++j) {
      if (j != i) scale *= p * p - WinogradPoints<m>::p[j] * WinogradPoints<m>::p[j];
    }
    const Vec<f64> even = (taps[0] + splat(p * p) * taps[2 * step]) * splat(1 / scale),
                   odd = taps[step] * splat(p / scale);
    factors[(1 + 2 * i) * to_step] = even + odd;
    factors[(2 + 2 * i) * to_step] = even - odd;
  }
}

// Packs panels [begin, end): the factors of column j and channel i at all points, from the taps at
// w[tap * tap_stride + i * row_stride + j * column_stride].
template <int m>
[[gnu::noinline]] static void winograd_pack(const f32* w, i64 tap_stride, i64 row_stride,
                                            i64 column_stride, i64 channels, i64 n, f32* packed,
                                            i64 begin, i64 end) {
  constexpr int side = m + 2, points = side * side;
  constexpr i64 width = MatmulPanel<f32>::columns;
  for (i64 panel = begin; panel < end; ++panel) {
    f32* to = packed + panel * width * points * channels;
    for (i64 i = 0; i < channels; ++i) {
      for (i64 j = 0; j < width; j += 16) {
        const f32* from = w + i * row_stride + (panel * width + j) * column_stride;
        const i64 count = n - panel * width - j;
        Vec<f64> taps[9], half[side * 3], factors[points];
#pragma clang loop unroll(disable)
        for (int tap = 0; tap < 9; ++tap)
          taps[tap] = convert<f64>(load_strided(from + tap * tap_stride, column_stride, count));
#pragma clang loop unroll(disable)
        for (int x = 0; x < 3; ++x) winograd_weights_to_points<m>(taps + x, 3, half + x, 3);
#pragma clang loop unroll(disable)
        for (int y = 0; y < side; ++y)
          winograd_weights_to_points<m>(half + y * 3, 1, factors + y * side, 1);
#pragma clang loop unroll(disable)
        for (int point = 0; point < points; ++point)
          store(to + (point * channels + i) * width + j, convert<f32>(factors[point]));
      }
    }
  }
}

// The parts of WinogradCall::scratch.  Planes of V and M are apart from multiples of a page.
struct WinogradScratch {
  static constexpr i64 width = MatmulPanel<f32>::columns;
  i64 points, v_plane, m_plane;
  f32 *v, *products, *sums;
  VITRO_INLINE WinogradScratch of(const WinogradCall& call) {
    WinogradScratch s;
    s.points = (call.winograd->m + 2) * (call.winograd->m + 2);
    s.v_plane = call.tiles * call.winograd->channels + 16;
    s.m_plane = call.tiles * width + 16;
    s.v = call.scratch;
    s.products = s.v + s.points * s.v_plane;
    s.sums = s.products + s.points * s.m_plane;
    return s;
  }
};

// What positions outside of the image read.
alignas(64) inline constexpr f32 winograd_outside[winograd_lanes] = {};

// The elements of a position from channel 0 on; all are 0 outside of the image.
struct WinogradPosition {
  const f32* from;
  i64 mask;  // of the channel
  [[gnu::always_inline]] void set(const f32* address, bool inside) {
    from = inside ? address : winograd_outside;
    mask = -i64(inside);
  }
  [[gnu::always_inline]] WinogradVec load(i64 channel) const {
    return winograd_load(from + (channel & mask));
  }
};

// Transforms the operand of the tile whose first element is at position (y, x), which may be
// outside of the image.
template <int m, bool border>
[[gnu::noinline]] static void winograd_read_tile(const Winograd& w, const f32* image, i64 y, i64 x,
                                                 f32* v, i64 v_plane) {
  constexpr int side = m + 2;
  const f32* from = image + y * w.position_stride[0] + x * w.position_stride[1];
  WinogradPosition at[side][side];
#pragma clang loop unroll(disable)
  for (int i = 0; border && i < side; ++i) {
#pragma clang loop unroll(disable)
    for (int j = 0; j < side; ++j)
      at[i][j].set(from + i * w.position_stride[0] + j * w.position_stride[1],
                   u64(y + i) < u64(w.size[0]) && u64(x + j) < u64(w.size[1]));
  }
#pragma clang loop unroll(disable)
  for (i64 c = 0; c < w.channels; c += winograd_lanes) {
    WinogradVec half[side][side];
    VITRO_TRANSFORM_LOOP
    for (int j = 0; j < side; ++j) {
      WinogradVec column[side], values[side];
      VITRO_TRANSFORM_LOOP
      for (int i = 0; i < side; ++i)
        column[i] =
            border ? at[i][j].load(c)
                   : winograd_load(from + i * w.position_stride[0] + j * w.position_stride[1] + c);
      winograd_to_points<m>(column, values);
      VITRO_TRANSFORM_LOOP
      for (int i = 0; i < side; ++i) half[i][j] = values[i];
    }
    VITRO_TRANSFORM_LOOP
    for (int i = 0; i < side; ++i) {
      WinogradVec values[side];
      winograd_to_points<m>(half[i], values);
      VITRO_TRANSFORM_LOOP
      for (int j = 0; j < side; ++j) winograd_store(v + (i * side + j) * v_plane + c, values[j]);
    }
  }
}

// The same, whether it leaves the image or not.
template <int m>
VITRO_INLINE void winograd_read_any_tile(const Winograd& w, const f32* image, i64 y, i64 x, f32* v,
                                         i64 v_plane) {
  constexpr bool apart = winograd_lanes > 1;  // tiles inside the image have code of their own
  const bool inside = y >= 0 && x >= 0 && y + m + 2 <= w.size[0] && x + m + 2 <= w.size[1];
  (inside && apart ? winograd_read_tile<m, !apart> : winograd_read_tile<m, true>)(w, image, y, x, v,
                                                                                  v_plane);
}

template <int m>
[[gnu::noinline]] static void winograd_read(const WinogradCall& call) {
  const Winograd& w = *call.winograd;
  const auto s = WinogradScratch::of(call);
  const i64 down = divide_up(w.out[0], m), across = divide_up(w.out[1], m);
  i64 image = call.tile / (down * across), y = call.tile / across % down * m,
      x = call.tile % across * m;
  for (i64 t = 0; t < call.tiles; ++t) {
    winograd_read_any_tile<m>(w, (const f32*)call.x + image * w.image_stride, y - w.padding[0],
                              x - w.padding[1], s.v + t * w.channels, s.v_plane);
    for (i64 line = 0; line < m; ++line) {
      call.lines[t * m + line] = {(image * w.out[0] + y + line) * w.out[1] + x,
                                  y + line < w.out[0] ? smaller(m, w.out[1] - x) : 0,
                                  (t * m + line) * m};
    }
    if ((x += m) < w.out[1]) continue;
    x = 0;
    if ((y += m) < w.out[0]) continue;
    y = 0, ++image;
  }
}

// Transforms products at all points back to count x count sums, in rows of `width`.
template <int m, int count, i64 width>
[[gnu::noinline]] static void winograd_finish_tile(const f32* products, i64 m_plane, i64 columns,
                                                   f32* sums) {
  constexpr int side = m + 2;
  for (i64 c = 0; c < columns; c += winograd_lanes) {
    WinogradVec half[count][side];
    VITRO_TRANSFORM_LOOP
    for (int j = 0; j < side; ++j) {
      WinogradVec values[side], column[count];
      VITRO_TRANSFORM_LOOP
      for (int i = 0; i < side; ++i)
        values[i] = winograd_load(products + (i * side + j) * m_plane + c);
      winograd_from_points<m, count>(values, column);
      VITRO_TRANSFORM_LOOP
      for (int i = 0; i < count; ++i) half[i][j] = column[i];
    }
    VITRO_TRANSFORM_LOOP
    for (int i = 0; i < count; ++i) {
      WinogradVec row[count];
      winograd_from_points<m, count>(half[i], row);
      VITRO_TRANSFORM_LOOP
      for (int j = 0; j < count; ++j) winograd_store(sums + (i * count + j) * width + c, row[j]);
    }
  }
}

// Channels that a tile multiplies before it prefetches again.
inline constexpr i64 winograd_depth = 64;
static_assert(winograd_most_channels / winograd_depth <= 64);

// Prefetches part `point` of the memory that follows the sums: what the epilogue reads or writes.
VITRO_INLINE void winograd_prefetch(const WinogradPanel& panel, i64 lines, i64 point, i64 points) {
  for (i64 a = 0; a < panel.ahead_count; ++a) {
    const ProductAhead& ahead = panel.ahead[a];
    for (i64 line = lines * point / points; line < lines * (point + 1) / points; ++line) {
      const RowRange& at = panel.call->lines[line];
      for (i64 row = at.row; row < at.row + at.rows; ++row) {
        const char* first = (const char*)ahead.from + row * ahead.row_bytes;
        for (i64 i = 0; i < panel.columns * ahead.element_bytes; i += 64)
          __builtin_prefetch(first + i, 1, 3);
      }
    }
  }
}

// The sums of a panel for the tiles that winograd_read() has transformed.
[[gnu::noinline]] static const f32* winograd_multiply(const WinogradPanel& panel) {
  using Panel = MatmulPanel<f32>;
  constexpr i64 width = Panel::columns;
  constexpr int variants = Panel::rows * Panel::vectors;
  const WinogradCall& call = *panel.call;
  const i64 channels = call.winograd->channels, count = call.tiles,
            tiles = divide_up(count, Panel::rows), low = count / tiles, higher = count % tiles,
            vectors = smaller(divide_up(panel.columns, 16), Panel::vectors);
  const auto s = WinogradScratch::of(call);
  const i64 m = call.winograd->m, points = s.points;
  const i64 parts = divide_up(channels, winograd_depth);
  WindowsTap taps[64];
  for (i64 i = 0; i < parts; ++i)
    taps[i] = {i * winograd_depth, smaller(winograd_depth, channels - i * winograd_depth), ~u64(0)};
  i64 start[Panel::rows];
  for (i64 r = 0; r < Panel::rows; ++r) start[r] = r * channels;
  const i64 bytes = channels * width * i64(sizeof(f32)),
            of_tile = divide_up(divide_up(bytes, tiles), 64) * 64,
            every = windows_ahead_every<f32>(tiles);
  const f32* b = (const f32*)panel.b;
  for (i64 point = 0; point < points; ++point, b += channels * width) {
    winograd_prefetch(panel, count * m, point, points);
    const char* ahead = (const char*)(b + channels * width);
    for (i64 tile = 0, row = 0; tile < tiles; ++tile) {
      const i64 rows = low + (tile < higher);
      windows_tile_of<f32>(rows, vectors, __make_integer_seq<LaneList, int, variants>{})(
          {s.v + point * s.v_plane + row * channels, start, taps, parts, 0, b,
           s.products + point * s.m_plane + row * width, width, false, ahead, every});
      ahead += of_tile;
      row += rows;
    }
  }
  const auto finish =
      m == 2 ? winograd_finish_tile<2, 2, width> : winograd_finish_tile<4, 4, width>;
  for (i64 t = 0; t < count; ++t)
    finish(s.products + t * width, s.m_plane, divide_up(panel.columns, 16) * 16,
           s.sums + t * m * m * width);
  return s.sums;
}

// Blocks of at most `most` tiles and all columns; smaller ones if the threads would have fewer than
// two blocks each.
[[gnu::noinline]] static ProductCut winograd_cut(i64 tiles, i64 n, i64 most, i64 threads) {
  constexpr i64 width = MatmulPanel<f32>::columns, least_tiles = 24, least_columns = 64;
  ProductCut cut{tiles, n, 1, divide_up(tiles, most), divide_up(n, width) * width, 0};
  const i64 wanted = threads > 1 ? 2 * threads : 1;
  const auto count = [&] { return cut.count = cut.row_blocks * divide_up(n, cut.columns); };
  while (count() < wanted && tiles >= 2 * least_tiles * cut.row_blocks) cut.row_blocks *= 2;
  while (count() < wanted && cut.columns >= 2 * least_columns)
    cut.columns = divide_up(cut.columns / 2, width) * width;
  return cut;
}

}  // namespace vitro::kernels::inline VITRO_ISA
