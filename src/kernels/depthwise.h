// Sums over windows of single channels (depthwise convolutions), for channels that are contiguous:
// a tile of rows times sixteen channels stays in registers over all taps, then come the next
// channels, which follow in memory. Sums are in the order of the taps, with fma.
//
//   depthwise_multiply<f32>(call);
//
// Not part of the prelude: compiled ahead only (matmul_table.kernel.cpp).
#pragma once
#include "kernels/matmul_windows.h"

namespace vitro::kernels::inline VITRO_ISA {

// Rows of a tile: independent sums hide the latency of fma, and leave registers for weights.
template <class Acc>
inline constexpr int depthwise_rows = MatmulPanel<Acc>::vectors > 1 ? 8 : MatmulPanel<Acc>::rows;

template <class Acc>
struct DepthwiseTile {
  const Acc* x;      // channel 0
  const i64* start;  // of each row, in elements of x
  const WindowsTap* taps;
  i64 count, row;  // taps; the tile's first row in the block
  bool inside;     // all taps of all rows are inside their images
  const Acc* b;
  i64 b_panel_stride;
  Acc* c;
  i64 c_stride, channels;
};

// c[rows][16] = the sums for at most `left` channels from `channel` on, over all taps; `inside`:
// as in DepthwiseTile; `full`: sixteen channels.
template <int rows, bool inside, bool full, class Acc>
[[gnu::always_inline]] inline void depthwise_sums(const DepthwiseTile<Acc>& t,
                                                  const Acc* const (&x)[rows], const Acc* b,
                                                  i64 channel, i64 left) {
  Vec<Acc> sum[rows] = {};
#pragma clang loop unroll(disable)
  for (const WindowsTap *tap = t.taps, *end = tap + t.count; tap != end; ++tap) {
    const Vec<Acc> weight = load(b);
    const i64 offset = tap->offset + channel;
    const u64 of_tile = tap->inside >> t.row;
#pragma clang loop unroll(full)
    for (int r = 0; r < rows; ++r) {
      const Acc* from = inside || of_tile >> r & 1 ? x[r] + offset : windows_outside<Acc>;
      if constexpr (full) {
        sum[r] = fma(load(from), weight, sum[r]);
      } else {
        sum[r] = fma(load(from, left), weight, sum[r]);
      }
    }
    b += MatmulPanel<Acc>::columns;
  }
#pragma clang loop unroll(full)
  for (int r = 0; r < rows; ++r) store(t.c + r * t.c_stride + channel, sum[r]);
}

template <int rows, class Acc>
[[gnu::noinline]] static void depthwise_tile(const DepthwiseTile<Acc>& t) {
  constexpr i64 columns = MatmulPanel<Acc>::columns;
  const Acc* x[rows];
#pragma clang loop unroll(full)
  for (int r = 0; r < rows; ++r) x[r] = t.x + t.start[t.row + r];
  for (i64 channel = 0; channel < t.channels; channel += 16) {
    const Acc* b = t.b + channel / columns * t.b_panel_stride + channel % columns;
    const i64 left = t.channels - channel;
    if (left < 16) {
      depthwise_sums<rows, false, false>(t, x, b, channel, left);
    } else if (t.inside) {
      depthwise_sums<rows, true, true>(t, x, b, channel, left);
    } else {
      depthwise_sums<rows, false, true>(t, x, b, channel, left);
    }
  }
}

template <class Acc>
using DepthwiseTileOf = void (*)(const DepthwiseTile<Acc>&);

template <class Acc, int... i>
VITRO_INLINE DepthwiseTileOf<Acc> depthwise_tile_of(i64 rows, LaneList<int, i...>) {
  static constexpr DepthwiseTileOf<Acc> tiles[] = {depthwise_tile<i + 1, Acc>...};
  return tiles[rows - 1];
}

// At most product_rows rows.
template <class Acc>
[[gnu::always_inline]] inline void depthwise_multiply_rows(const WindowsCall& call,
                                                           WindowsTap* taps) {
  constexpr int height = depthwise_rows<Acc>;
  const Windows& w = *call.windows;
  WindowsRows rows(w);
  rows.find(call.row, call.rows);
  const i64 count = w.taps[0] * w.taps[1] * w.taps[2], tiles = divide_up(call.rows, height),
            low = call.rows / tiles, higher = call.rows % tiles;
  u64 inside = ~u64(0);
  for (i64 i = 0; i < count; ++i) {
    taps[i] = rows.tap(i);
    inside &= taps[i].inside;
  }
  for (i64 tile = 0, row = 0; tile < tiles; ++tile) {
    const i64 n = low + (tile < higher);
    const u64 all = (u64(1) << n) - 1;
    depthwise_tile_of<Acc>(n, __make_integer_seq<LaneList, int, height>{})(
        {(const Acc*)call.x, rows.start(), taps, count, row, (inside >> row & all) == all,
         (const Acc*)call.b, call.b_panel_stride, (Acc*)call.c + row * call.c_row_stride,
         call.c_row_stride, call.columns});
    row += n;
  }
}

template <class Acc>
[[gnu::noinline]] static void depthwise_multiply(const WindowsCall& call) {
  WindowsTap taps[depthwise_most_taps];
  WindowsCall some = call;
  for (i64 row = 0; row < call.rows; row += product_rows) {
    some.row = call.row + row;
    some.rows = smaller(product_rows, call.rows - row);
    some.c = (Acc*)call.c + row * call.c_row_stride;
    depthwise_multiply_rows<Acc>(some, taps);
  }
}

}  // namespace vitro::kernels::inline VITRO_ISA
