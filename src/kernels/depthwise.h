// Sums over windows of single channels (depthwise convolutions), for channels that are contiguous:
// a tile of rows of one line times some channels stays in registers over all taps. Sums are in the
// order of the taps, with fma. Rows whose windows leave the line have tiles of their own, so that
// the others ask nothing tap by tap.
//
//   depthwise_multiply<f32>(call);
//
// Not part of the prelude: compiled ahead only (matmul_table.kernel.cpp).
#pragma once
#include "kernels/matmul_windows.h"

namespace vitro::kernels::inline VITRO_ISA {

// Rows of a tile, and vectors of channels: independent sums hide the latency of fma. Seven rows
// leave two of the sixteen registers of AVX2 for weights, and divide many lines; of f64, sixteen
// lanes are several registers anyway.
template <class Acc>
inline constexpr int depthwise_vectors = sizeof(Acc) == 4 && MatmulPanel<Acc>::vectors > 1 ? 2 : 1;
template <class Acc>
inline constexpr int depthwise_rows = MatmulPanel<Acc>::vectors > 1 ? 4 * depthwise_vectors<Acc>
                                      : MatmulPanel<Acc>::rows == 6 ? 7
                                                                    : MatmulPanel<Acc>::rows;

// The taps of a tile, as lines of taps, and the channels of its weights.
template <class Acc>
struct DepthwiseTaps {
  const i64* lines;  // where each begins, in elements from the start of a window
  i64 line_count, of_line, step;
  i64 stride, dilation, size;  // of positions along a line of the image, and their number
  const Acc* b;
  i64 b_step;
  i64 left;  // channels
};

// Rows of one line.
template <class Acc>
struct DepthwiseTile {
  const Acc* x;  // the first row's window
  i64 step;      // elements from row to row
  u64 inside;    // by line of taps: whether it is inside the image
  i64 position;  // of the first row's window in the line
  Acc* c;
  i64 c_stride;
};

// c[rows][16 * vectors] = the sums over all taps. `leaves`: windows may leave the line; `part`: for
// the first `left` of sixteen channels.
template <int rows, int vectors, bool leaves, bool part, class Acc>
[[gnu::noinline]] static void depthwise_tile(const DepthwiseTaps<Acc>& taps,
                                             const DepthwiseTile<Acc>& tile) {
  const Acc* b = taps.b;
  Vec<Acc> sum[rows][vectors] = {};
  for (i64 line = 0; line < taps.line_count; ++line) {
    const bool inside = tile.inside >> line & 1;
    const Acc* x = inside ? tile.x + taps.lines[line] : windows_outside<Acc>;
    const i64 step = inside ? tile.step : 0, next = inside ? taps.step : 0;
    i64 position = tile.position;
#pragma clang loop unroll(disable)
    for (i64 tap = 0; tap < taps.of_line; ++tap, x += next, b += taps.b_step) {
      Vec<Acc> weight[vectors];
#pragma clang loop unroll(full)
      for (int j = 0; j < vectors; ++j) weight[j] = load(b + j * 16);
#pragma clang loop unroll(full)
      for (int r = 0; r < rows; ++r) {
        const Acc* from = x + r * step;
        if constexpr (leaves) {
          if (u64(position + r * taps.stride) >= u64(taps.size)) from = windows_outside<Acc>;
        }
#pragma clang loop unroll(full)
        for (int j = 0; j < vectors; ++j)
          sum[r][j] = fma(part ? load(from, taps.left) : load(from + j * 16), weight[j], sum[r][j]);
      }
      position += taps.dilation;
    }
  }
#pragma clang loop unroll(full)
  for (int r = 0; r < rows; ++r) {
#pragma clang loop unroll(full)
    for (int j = 0; j < vectors; ++j) store(tile.c + r * tile.c_stride + j * 16, sum[r][j]);
  }
}

template <class Acc>
using DepthwiseFunction = void (*)(const DepthwiseTaps<Acc>&, const DepthwiseTile<Acc>&);

template <int vectors, bool leaves, bool part, class Acc, int... i>
VITRO_INLINE DepthwiseFunction<Acc> depthwise_function(i64 rows, LaneList<int, i...>) {
  static constexpr DepthwiseFunction<Acc> tiles[] = {
      depthwise_tile<i + 1, vectors, leaves, part, Acc>...};
  return tiles[rows - 1];
}

// Whether tiles whose windows stay inside have functions of their own: elsewhere they are not worth
// their code.
#if defined(__AVX2__)
template <class Acc>
inline constexpr bool depthwise_has_inside = sizeof(Acc) == 4;
#else
template <class Acc>
inline constexpr bool depthwise_has_inside = false;
#endif

template <class Acc>
VITRO_INLINE DepthwiseFunction<Acc> depthwise_function(i64 rows, bool leaves, i64 channels) {
  constexpr __make_integer_seq<LaneList, int, depthwise_rows<Acc>> all{};
  constexpr int most = depthwise_vectors<Acc>;
  if (channels < 16) return depthwise_function<1, true, true, Acc>(rows, all);
  const bool wide = channels >= 16 * most;
  if constexpr (depthwise_has_inside<Acc>) {
    if (!leaves) {
      return wide ? depthwise_function<most, false, false, Acc>(rows, all)
                  : depthwise_function<1, false, false, Acc>(rows, all);
    }
  }
  return wide ? depthwise_function<most, true, false, Acc>(rows, all)
              : depthwise_function<1, true, false, Acc>(rows, all);
}

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

VITRO_INLINE i64 depthwise_quotient(i64 a, i64 b) {
  return b == 1 ? a : b == 2 ? a >> 1 : a / b;  // a >= 0
}

// At most product_rows rows of a call, from `first` on, in tiles of one line each. All rows of some
// channels come before the next channels: what they read stays in the L1 cache for the windows that
// share it.
template <class Acc>
class DepthwiseRun {
 public:
  [[gnu::always_inline]] DepthwiseRun(const WindowsCall& call, i64 first)
      : call_(call),
        w_(*call.windows),
        first_(first),
        rows_(smaller(product_rows, call.rows - first)),
        row_step_(w_.stride[2] * w_.position_stride[2]),
        pairs_(depthwise_has_inside<Acc> && call.finish && call.columns == 8 &&
               row_step_ == call.columns) {
    find_taps();
    find_tiles();
  }

  [[gnu::always_inline]] void run() {
    if (pairs_) repeat_weights();
    for (i64 channel = 0; channel < call_.columns;) {
      const i64 width = call_.columns - channel >= most_width ? most_width : 16;
      multiply(channel, width);
      channel += width;
    }
  }

 private:
  static constexpr i64 height = depthwise_rows<Acc>, most_width = 16 * depthwise_vectors<Acc>,
                       panel = MatmulPanel<Acc>::columns;

  // A tile of rows of the block, of which `x` is the first element that its first row reads.
  struct Tile {
    i64 x, row, rows, position;
    u64 inside;
    bool leaves;
  };

  [[gnu::always_inline]] void find_taps() {
    i64 count = 0;
    for (i64 z = 0; z < w_.taps[0]; ++z) {
      for (i64 y = 0; y < w_.taps[1]; ++y) {
        lines_[count++] =
            z * w_.dilation[0] * w_.position_stride[0] + y * w_.dilation[1] * w_.position_stride[1];
      }
    }
    taps_ = {lines_,       count,
             w_.taps[2],   w_.dilation[2] * w_.position_stride[2],
             w_.stride[2], w_.dilation[2],
             w_.size[2],   nullptr,
             panel,        0};
  }

  [[gnu::always_inline]] void find_tiles() {
    const i64 plane = w_.out[1] * w_.out[2], image = w_.out[0] * plane;
    const i64 row = call_.row + first_, n = row / image,
              z = w_.out[0] == 1 ? 0 : row % image / plane;
    const i64 left = row - n * image - z * plane, y = left / w_.out[2];
    i64 at[3] = {z, y, left - y * w_.out[2]}, start = n * w_.image_stride;
    // The columns whose windows are inside the line: [low, high).
    const i64 reach = (w_.taps[2] - 1) * w_.dilation[2], stride = w_.stride[2],
              before = w_.padding[2], beyond = w_.size[2] + before - reach;
    const i64 low = before > 0 ? depthwise_quotient(before + stride - 1, stride) : 0,
              high = beyond > 0 ? depthwise_quotient(beyond + stride - 1, stride) : 0;
    for (i64 r = 0; r < rows_;) {
      const i64 count = smaller(w_.out[2] - at[2], rows_ - r);
      add_line(r, count, at, start, low, high);
      r += count;
      at[2] = 0;
      if (++at[1] < w_.out[1]) continue;
      at[1] = 0;
      if (++at[0] < w_.out[0]) continue;
      at[0] = 0, start += w_.image_stride;
    }
  }

  // Adds the tiles for some rows of a line.
  [[gnu::always_inline]] void add_line(i64 row, i64 count, const i64 (&at)[3], i64 start, i64 low,
                                       i64 high) {
    Tile line{start, row, 0, at[2] * w_.stride[2] - w_.padding[2], 0, false};
    i64 position[2];
    for (int d = 0; d < 2; ++d) {
      position[d] = at[d] * w_.stride[d] - w_.padding[d];
      line.x += position[d] * w_.position_stride[d];
    }
    line.x += line.position * w_.position_stride[2];
    u64 bit = 1;
    for (i64 z = 0; z < w_.taps[0]; ++z) {
      const bool inside = u64(position[0] + z * w_.dilation[0]) < u64(w_.size[0]);
      for (i64 y = 0; y < w_.taps[1]; ++y, bit <<= 1) {
        if (inside && u64(position[1] + y * w_.dilation[1]) < u64(w_.size[1])) line.inside |= bit;
      }
    }
    // The rows whose windows stay inside: [begin, end).
    const i64 begin = clamped(low - at[2], count), end = clamped(high - at[2], count);
    if (!pairs_) return add(line, 0, count, begin, end);
    add(line, 0, begin, begin, end);
    add(line, begin, end, begin, end);
    add(line, end, count, begin, end);
  }

  static i64 clamped(i64 value, i64 most) { return value < 0 ? 0 : smaller(value, most); }

  // Adds tiles for rows [first, last) of a line, as equal in height as possible; the windows of
  // rows [begin, end) stay inside the line.
  [[gnu::always_inline]] void add(const Tile& line, i64 first, i64 last, i64 begin, i64 end) {
    const bool paired = pairs_ && first >= begin && last <= end;
    const i64 most = paired ? 2 * height : height;
    for (i64 left = last - first; left > 0; left = last - first) {
      i64 rows = left <= most ? left : left < 2 * most ? (left + 1) / 2 : most;
      if (paired && rows > 1) rows -= rows % 2;
      tiles_[tile_count_++] = {line.x + first * row_step_,
                               line.row + first,
                               rows,
                               line.position + first * w_.stride[2],
                               line.inside,
                               first < begin || first + rows > end || (pairs_ && rows == 1)};
      first += rows;
    }
  }

  // The weights of eight channels twice: for two positions at a time.
  [[gnu::always_inline]] void repeat_weights() {
    const i64 count = taps_.line_count * taps_.of_line;
    for (i64 i = 0; i < count; ++i) {
      const Vec<Acc> w = load((const Acc*)call_.b + i * panel);
      store(twice_ + 16 * i,
            __builtin_shufflevector(w, w, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7));
    }
  }

  // All rows for some channels.
  [[gnu::always_inline]] void multiply(i64 channel, i64 width) {
    const ProductFinish* finish = call_.finish;
    const i64 stride = !finish ? call_.c_row_stride : pairs_ ? 8 : most_width;
    Acc* c = finish ? sums_ : (Acc*)call_.c + first_ * stride + channel;
    const Acc* x = (const Acc*)call_.x + channel;
    taps_.b = (const Acc*)call_.b + channel / panel * call_.b_panel_stride + channel % panel;
    taps_.left = call_.columns - channel;
    DepthwiseTaps<Acc> of_pairs = taps_;
    of_pairs.b = twice_, of_pairs.b_step = 16;
    DepthwiseAhead ahead = ahead_of(channel + width);
    for (const Tile *tile = tiles_, *end = tiles_ + tile_count_; tile != end; ++tile) {
      ahead.fetch<most_width * i64(sizeof(Acc))>();
      const bool paired = pairs_ && !tile->leaves;
      const i64 step = paired ? 2 * row_step_ : row_step_,
                rows = paired ? tile->rows / 2 : tile->rows;
      depthwise_function<Acc>(rows, tile->leaves, paired ? 16 : taps_.left)(
          paired ? of_pairs : taps_, {x + tile->x, step, tile->inside, tile->position,
                                      c + tile->row * stride, paired ? 16 : stride});
    }
    if (!finish) return;
    finish->run(finish->what,
                {finish->row + first_, rows_, finish->column + channel,
                 smaller(width, call_.columns - channel)},
                sums_, stride);
  }

  // For the channels from `channel` on. Nothing if there are none, if they are near, or if the
  // positions between the first and the last window are not mostly those of windows.
  [[gnu::always_inline]] DepthwiseAhead ahead_of(i64 channel) const {
    if (call_.near || channel >= call_.columns) return {nullptr, 0, 0};
    const Tile& last = tiles_[tile_count_ - 1];
    const i64 step = w_.position_stride[2], end = last.x + (last.rows - 1) * row_step_ +
                                                  lines_[taps_.line_count - 1] +
                                                  (taps_.of_line - 1) * taps_.step;
    const i64 positions = step > 0 ? (end - tiles_[0].x) / step + 1 : 0;
    const i64 most = 4 * rows_ * w_.stride[1] * w_.stride[2] + 4 * w_.size[2];
    const bool useful = positions > 0 && positions <= most;
    return {(const char*)((const Acc*)call_.x + tiles_[0].x + channel), step * i64(sizeof(Acc)),
            useful ? divide_up(positions, tile_count_) : 0};
  }

  const WindowsCall& call_;
  const Windows& w_;
  const i64 first_, rows_, row_step_;
  const bool pairs_;  // tiles read two positions of eight channels at a time
  DepthwiseTaps<Acc> taps_;
  i64 lines_[depthwise_most_taps];
  Tile tiles_[product_rows];
  i64 tile_count_ = 0;
  alignas(64) Acc twice_[depthwise_most_taps * 16];
  alignas(64) Acc sums_[product_rows * most_width + 16];
};

template <class Acc>
[[gnu::noinline]] static void depthwise_multiply(const WindowsCall& call) {
  for (i64 row = 0; row < call.rows; row += product_rows) DepthwiseRun<Acc>(call, row).run();
}

}  // namespace vitro::kernels::inline VITRO_ISA
