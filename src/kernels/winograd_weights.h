// Gradients of the weights of 3 x 3 windows with stride 1 by Winograd's algorithm F(3 x 3, 4 x 4):
// the roles of weights and results of F(4 x 4, 3 x 3) (winograd.h) are exchanged. A tile of 4 x 4
// positions adds one product for each point, channel and column instead of four.
//
// A block of tiles is transformed to V[point][tile][channel] and the gradients of its results to
// U[point][tile][column]; M[point][channel][column] += V * U stays in the cache until all tiles are
// added, and is transformed to the sums of the taps at the end.
//
// Not part of the prelude: compiled ahead only (matmul_table.kernel.cpp).
#pragma once
#include "kernels/matmul_plain.h"
#include "kernels/winograd.h"

namespace vitro::kernels::inline VITRO_ISA {

// Four factors to values at the points, divided by what the product of the others is there.
VITRO_INLINE void winograd_gradient_to_points(const WinogradVec* g, WinogradVec* values) {
  constexpr WinogradFactors<4> all;
  values[0] = g[0] * (WinogradVec)(f32(1 / all.c[0]));
  values[5] = g[3];
  VITRO_TRANSFORM_LOOP
  for (int i = 0; i < 2; ++i) {
    const f64 p = WinogradPoints<4>::p[i], other = WinogradPoints<4>::p[1 - i],
              scale = 2 * p * p * (p * p - other * other);
    const WinogradVec even = winograd_fma(p * p, g[2], g[0]) * (WinogradVec)(f32(1 / scale)),
                      odd = winograd_fma(p * p, g[3], g[1]) * (WinogradVec)(f32(p / scale));
    values[1 + 2 * i] = even + odd;
    values[2 + 2 * i] = even - odd;
  }
}

// Transforms the gradients of a tile, of which `lines` x `positions` exist.
[[gnu::noinline]] static void winograd_read_gradient(const f32* from, i64 line_stride, i64 stride,
                                                     i64 lines, i64 positions, i64 columns, f32* u,
                                                     i64 u_plane) {
  constexpr int m = 4, side = m + 2;
  WinogradPosition at[m][m];
#pragma clang loop unroll(disable)
  for (int i = 0; i < m; ++i) {
#pragma clang loop unroll(disable)
    for (int j = 0; j < m; ++j)
      at[i][j].set(from + i * line_stride + j * stride, i < lines && j < positions);
  }
#pragma clang loop unroll(disable)
  for (i64 c = 0; c < columns; c += winograd_lanes) {
    WinogradVec half[side][m];
    VITRO_TRANSFORM_LOOP
    for (int j = 0; j < m; ++j) {
      WinogradVec column[m], values[side];
      VITRO_TRANSFORM_LOOP
      for (int i = 0; i < m; ++i) column[i] = at[i][j].load(c);
      winograd_gradient_to_points(column, values);
      VITRO_TRANSFORM_LOOP
      for (int i = 0; i < side; ++i) half[i][j] = values[i];
    }
    VITRO_TRANSFORM_LOOP
    for (int i = 0; i < side; ++i) {
      WinogradVec values[side];
      winograd_gradient_to_points(half[i], values);
      VITRO_TRANSFORM_LOOP
      for (int j = 0; j < side; ++j) winograd_store(u + (i * side + j) * u_plane + c, values[j]);
    }
  }
}

// The parts of WinogradWeightsCall::scratch.  Planes are apart from multiples of a page.
struct WinogradWeightsScratch {
  static constexpr i64 points = 36;
  i64 channels, columns, v_plane, u_plane, m_plane;
  f32 *v, *u, *products;
  VITRO_INLINE WinogradWeightsScratch of(const WinogradWeightsCall& call) {
    WinogradWeightsScratch s;
    s.channels = call.block.rows / 9, s.columns = (call.block.columns + 15) / 16 * 16;
    s.v_plane = call.tiles_of_block * s.channels + 16;
    s.u_plane = call.tiles_of_block * s.columns + 16;
    s.m_plane = s.channels * s.columns + 16;
    s.v = call.scratch;
    s.u = s.v + points * s.v_plane;
    s.products = s.u + points * s.u_plane;
    return s;
  }
};

// Transforms `count` tiles from `first` on.
[[gnu::noinline]] static void winograd_weights_read(const WinogradWeightsCall& call, i64 first,
                                                    i64 count) {
  constexpr i64 m = 4;
  Winograd w = *call.winograd;
  const auto s = WinogradWeightsScratch::of(call);
  w.channels = s.channels;
  const f32 *x = (const f32*)call.x + call.block.row / 9,
            *g = (const f32*)call.gradient + call.block.column;
  const i64 down = divide_up(w.out[0], m), across = divide_up(w.out[1], m);
  i64 image = first / (down * across), y = first / across % down * m, at = first % across * m;
  for (i64 t = 0; t < count; ++t) {
    winograd_read_any_tile<m>(w, x + image * w.image_stride, y - w.padding[0], at - w.padding[1],
                              s.v + t * s.channels, s.v_plane);
    const i64 position = (image * w.out[0] + y) * w.out[1] + at;
    winograd_read_gradient(g + position * call.gradient_stride, w.out[1] * call.gradient_stride,
                           call.gradient_stride, w.out[0] - y, w.out[1] - at, s.columns,
                           s.u + t * s.columns, s.u_plane);
    if ((at += m) < w.out[1]) continue;
    at = 0;
    if ((y += m) < w.out[0]) continue;
    y = 0, ++image;
  }
}

// Adds up the products of a block at all points.
[[gnu::noinline]] static void winograd_weights_multiply(const WinogradWeightsCall& call) {
  using Panel = MatmulPanel<f32>;
  constexpr __make_integer_seq<LaneList, int, Panel::rows * Panel::vectors> all{};
  const auto s = WinogradWeightsScratch::of(call);
  const i64 tiles = divide_up(s.channels, Panel::rows), low = s.channels / tiles,
            higher = s.channels % tiles;
  for (i64 first = 0; first == 0 || first < call.tiles; first += call.tiles_of_block) {
    const i64 count = smaller(call.tiles_of_block, call.tiles - first);
    winograd_weights_read(call, first, count);
    for (i64 point = 0; point < s.points; ++point) {
      const f32 *v = s.v + point * s.v_plane, *u = s.u + point * s.u_plane;
      f32* to = s.products + point * s.m_plane;
      for (i64 column = 0; column < s.columns; column += Panel::columns) {
        const i64 vectors = smaller((s.columns - column) / 16, Panel::vectors);
        for (i64 tile = 0, row = 0; tile < tiles; ++tile) {
          const i64 rows = low + (tile < higher);
          matmul_plain_tile_of<false, false, f32>(rows, vectors, all)(
              v + row, s.channels, u + column, s.columns, count, to + row * s.columns + column,
              s.columns, first > 0, nullptr, {(const char*)(u + s.u_plane), 0, count + 1});
          row += rows;
        }
      }
    }
  }
}

// The sums of all taps of `rows` / 9 channels of the block.
[[gnu::noinline]] static void winograd_weights_finish(const WinogradWeightsCall& call, i64 row,
                                                      i64 rows, f32* sums) {
  constexpr i64 width = winograd_weights_columns;
  const auto s = WinogradWeightsScratch::of(call);
  const f32* products = s.products + (row - call.block.row) / 9 * s.columns;
  for (i64 r = 0; r < rows; r += 9, products += s.columns)
    winograd_finish_tile<4, 3, width>(products, s.m_plane, s.columns, sums + r * width);
}

// Blocks of at most `most` rows; smaller ones if there would be fewer than threads.
[[gnu::noinline]] static ProductCut winograd_weights_cut(i64 m, i64 n, i64 most, i64 threads) {
  constexpr i64 unit = winograd_weights_rows;
  ProductCut cut{m, n, unit, divide_up(m, most), winograd_weights_columns, 0};
  const i64 units = divide_up(m, unit);
  const auto count = [&] { return cut.count = cut.row_blocks * divide_up(n, cut.columns); };
  while (count() < threads && cut.row_blocks < units)
    cut.row_blocks = smaller(2 * cut.row_blocks, units);
  while (count() < threads && cut.columns > 16) cut.columns /= 2;
  return cut;
}

}  // namespace vitro::kernels::inline VITRO_ISA
