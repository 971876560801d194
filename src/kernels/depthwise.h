// Sums over windows of single channels (depthwise convolutions), for channels that are contiguous:
// a tile of rows times some channels stays in registers over all taps. Sums are in the order of the
// taps, with fma.
//
//   depthwise_multiply<f32>(call);
//
// Not part of the prelude: compiled ahead only (matmul_table.kernel.cpp).
#pragma once
#include "kernels/matmul_windows.h"

namespace vitro::kernels::inline VITRO_ISA {

// Rows of a tile, and vectors of channels: independent sums hide the latency of fma.
template <class Acc>
inline constexpr int depthwise_rows = MatmulPanel<Acc>::vectors > 1 ? 8 : MatmulPanel<Acc>::rows;
template <class Acc>
inline constexpr int depthwise_vectors = MatmulPanel<Acc>::vectors > 1 ? 2 : 1;

// The rows of a block.
struct DepthwiseRows {
  const WindowsCall* call;
  const i64* start;  // of each row, in elements
  const WindowsTap* taps;
  i64 count;  // taps
};

// What the same rows read of the channels after those of a tile: too far apart for the hardware
// prefetcher. Tiles share it.
struct DepthwiseAhead {
  const char* next;
  i64 step;     // bytes between positions
  i64 of_tile;  // positions

  // Prefetches the channels of some positions.
  template <i64 bytes>
  [[gnu::always_inline]] void fetch() {
    for (i64 i = 0; i < of_tile; ++i, next += step) {
      for (i64 line = 0; line < bytes; line += 64) __builtin_prefetch(next + line, 0, 3);
    }
  }
};

// c[rows][16 * vectors] = the sums over all taps, for rows from `row` and channels from `channel`
// on. `part`: for the first `left` of sixteen channels.
template <int rows, int vectors, bool part, class Acc>
[[gnu::always_inline]] inline void depthwise_sums(const DepthwiseRows& block, i64 row, i64 channel,
                                                  i64 left, Acc* c, i64 c_stride) {
  constexpr i64 columns = MatmulPanel<Acc>::columns;
  constexpr u64 all = (u64(1) << rows) - 1;
  const WindowsCall& call = *block.call;
  const Acc* b = (const Acc*)call.b + channel / columns * call.b_panel_stride + channel % columns;
  const Acc* x[rows];
#pragma clang loop unroll(full)
  for (int r = 0; r < rows; ++r) x[r] = (const Acc*)call.x + block.start[row + r] + channel;
  Vec<Acc> sum[rows][vectors] = {};
#pragma clang loop unroll(disable)
  for (const WindowsTap *tap = block.taps, *end = tap + block.count; tap != end; ++tap) {
    Vec<Acc> weight[vectors];
#pragma clang loop unroll(full)
    for (int j = 0; j < vectors; ++j) weight[j] = load(b + j * 16);
    const auto add = [&](int r, const Acc* from) __attribute__((always_inline)) {
#pragma clang loop unroll(full)
      for (int j = 0; j < vectors; ++j)
        sum[r][j] = fma(part ? load(from, left) : load(from + j * 16), weight[j], sum[r][j]);
    };
    const i64 offset = tap->offset;
    const u64 inside = tap->inside >> row & all;
    if (inside == all) {
#pragma clang loop unroll(full)
      for (int r = 0; r < rows; ++r) add(r, x[r] + offset);
    } else {
#pragma clang loop unroll(full)
      for (int r = 0; r < rows; ++r) add(r, inside >> r & 1 ? x[r] + offset : windows_outside<Acc>);
    }
    b += columns;
  }
#pragma clang loop unroll(full)
  for (int r = 0; r < rows; ++r) {
#pragma clang loop unroll(full)
    for (int j = 0; j < vectors; ++j) store(c + r * c_stride + j * 16, sum[r][j]);
  }
}

// Tiles below one another, from `row` on; `c` is for the first one.
template <int rows, class Acc>
[[gnu::noinline]] static void depthwise_tiles(const DepthwiseRows& block, i64 row, i64 tiles,
                                              i64 channel, Acc* c, i64 c_stride,
                                              DepthwiseAhead& ahead) {
  constexpr int vectors = depthwise_vectors<Acc>;
  const i64 left = block.call->columns - channel;
  for (; tiles > 0; --tiles, row += rows, c += rows * c_stride) {
    ahead.fetch<16 * vectors * i64(sizeof(Acc))>();
    if (left >= 16 * vectors) {
      depthwise_sums<rows, vectors, false, Acc>(block, row, channel, left, c, c_stride);
    } else if (left >= 16) {
      depthwise_sums<rows, 1, false, Acc>(block, row, channel, left, c, c_stride);
    } else {
      depthwise_sums<rows, 1, true, Acc>(block, row, channel, left, c, c_stride);
    }
  }
}

template <class Acc>
using DepthwiseTiles = void (*)(const DepthwiseRows&, i64, i64, i64, Acc*, i64, DepthwiseAhead&);

template <class Acc, int... i>
VITRO_INLINE DepthwiseTiles<Acc> depthwise_tiles_of(i64 rows, LaneList<int, i...>) {
  static constexpr DepthwiseTiles<Acc> tiles[] = {depthwise_tiles<i + 1, Acc>...};
  return tiles[rows - 1];
}

// For the channels from `channel` on, which `tiles` tiles share. Nothing if there are none, if they
// are near, or if the positions between the first and the last window are not mostly those of
// windows.
template <class Acc>
VITRO_INLINE DepthwiseAhead depthwise_ahead(const DepthwiseRows& block, i64 rows, i64 channel,
                                            i64 tiles) {
  const WindowsCall& call = *block.call;
  const Windows& w = *call.windows;
  const i64 step = w.position_stride[2], first = block.start[0] + block.taps[0].offset,
            last = block.start[rows - 1] + block.taps[block.count - 1].offset;
  const i64 positions = step > 0 ? (last - first) / step + 1 : 0;
  const i64 most = 4 * rows * w.stride[1] * w.stride[2] + 4 * w.size[2];
  const bool useful = !call.near && channel < call.columns && positions > 0 && positions <= most;
  return {(const char*)((const Acc*)call.x + first + channel), step * i64(sizeof(Acc)),
          useful ? divide_up(positions, tiles) : 0};
}

// At most product_rows rows of a call, from `first` on. All rows of some channels come before the
// next channels: what they read stays in the L1 cache for the windows that share it.
template <class Acc>
[[gnu::always_inline]] inline void depthwise_multiply_rows(const WindowsCall& call, i64 first,
                                                           WindowsTap* taps) {
  constexpr int height = depthwise_rows<Acc>;
  const Windows& w = *call.windows;
  const i64 count = smaller(product_rows, call.rows - first),
            of_window = w.taps[0] * w.taps[1] * w.taps[2], tiles = divide_up(count, height),
            low = count / tiles, higher = count % tiles;
  WindowsRows rows(w);
  rows.find(call.row + first, count);
  for (i64 i = 0; i < of_window; ++i) taps[i] = rows.next_tap();
  const DepthwiseRows block{&call, rows.start(), taps, of_window};
  constexpr i64 most = 16 * depthwise_vectors<Acc>;
  const ProductFinish* finish = call.finish;
  alignas(64) Acc own[product_rows * most];
  const i64 stride = finish ? most : call.c_row_stride;
  for (i64 channel = 0; channel < call.columns;) {
    Acc* c = finish ? own : (Acc*)call.c + first * stride + channel;
    const i64 width = call.columns - channel >= most ? most : 16;
    DepthwiseAhead ahead = depthwise_ahead<Acc>(block, count, channel + width, tiles);
    const auto run = [&](i64 rows_of_tile, i64 row, i64 number) {
      constexpr __make_integer_seq<LaneList, int, height> all{};
      if (number == 0) return;
      depthwise_tiles_of<Acc>(rows_of_tile, all)(block, row, number, channel, c + row * stride,
                                                 stride, ahead);
    };
    run(low + 1, 0, higher);
    run(low, higher * (low + 1), tiles - higher);
    if (finish) {
      finish->run(finish->what,
                  {finish->row + first, count, finish->column + channel,
                   smaller(width, call.columns - channel)},
                  own, stride);
    }
    channel += width;
  }
}

template <class Acc>
[[gnu::noinline]] static void depthwise_multiply(const WindowsCall& call) {
  WindowsTap taps[depthwise_most_taps];
  for (i64 row = 0; row < call.rows; row += product_rows)
    depthwise_multiply_rows<Acc>(call, row, taps);
}

}  // namespace vitro::kernels::inline VITRO_ISA
