// The products of product.h whose left operand is windows over images (convolutions). Where a row
// starts in its image is computed once per block; the tiles then run over taps. A tap is a matrix
// product by itself: the channels of a position are contiguous, and its rows of B follow one
// another.
//
//   matmul_multiply_windows<f32>(call);
//
// Not part of the prelude: compiled ahead only (matmul_table.kernel.cpp).
#pragma once
#include "kernels/matmul.h"

namespace vitro::kernels::inline VITRO_ISA {

// Some channels of one tap: where they are relative to the start of a row, and the rows of the
// block (one per bit) for which the tap is inside the image.
struct WindowsTap {
  i64 offset, length;
  u64 inside;
};
static_assert(product_rows <= 64);

template <class Acc>
inline constexpr i64 windows_zeros = matmul_depth<Acc>;
// What rows read at a tap outside their image.
template <class Acc>
alignas(64) inline constexpr Acc windows_outside[windows_zeros<Acc>] = {};

// Whether the full tile is unrolled: a step of a narrow one is as short as the loop around it.
#if defined(__AVX2__) && !defined(__AVX512F__)
inline constexpr bool windows_unrolls = true;
#else
inline constexpr bool windows_unrolls = false;
#endif

template <class Acc>
struct WindowsTile {
  const Acc* x;
  const i64* start;  // of each row, in elements of x
  const WindowsTap* taps;
  i64 count, row;  // taps; the tile's first row in the block
  const Acc* b;
  Acc* c;
  i64 c_stride;
  bool add;
  const char* ahead;  // prefetched: matmul_right_asked bytes every so many channels of a tap
  i64 every;
};

// WindowsTile::every for `tiles` that share what is prefetched: as many bytes as they read of B.
template <class Acc>
VITRO_INLINE i64 windows_ahead_every(i64 tiles) {
  return tiles * matmul_right_asked / (MatmulPanel<Acc>::columns * i64(sizeof(Acc)));
}

// c[rows][16 * vectors] (+)= the sums over all taps.
template <int rows, int vectors, class Acc>
[[gnu::noinline]] static void windows_tile(const WindowsTile<Acc>& t) {
  using Panel = MatmulPanel<Acc>;
  constexpr i64 columns = Panel::columns;
  constexpr u64 all = (u64(1) << rows) - 1;
  MatmulSums<rows, vectors, Acc> sums;
  if (t.add) sums.read(t.c, t.c_stride);
  const i64* start = t.start + t.row;
  const Acc* b = t.b;
  const char* ahead = t.ahead;
  for (const WindowsTap *tap = t.taps, *end = tap + t.count; tap != end; ++tap) {
    const u64 inside = tap->inside >> t.row & all;
    const Acc* a[rows];
#pragma clang loop unroll(full)
    for (int r = 0; r < rows; ++r)
      a[r] = inside >> r & 1 ? t.x + start[r] + tap->offset : windows_outside<Acc>;
    const auto step = [&](i64 i) __attribute__((always_inline)) {
      Vec<Acc> right[vectors];
#pragma clang loop unroll(full)
      for (int j = 0; j < vectors; ++j) right[j] = load(b + j * 16);
#pragma clang loop unroll(full)
      for (int r = 0; r < rows; ++r) {
        const Vec<Acc> left = splat(a[r][i]);
#pragma clang loop unroll(full)
        for (int j = 0; j < vectors; ++j) sums.sum[r][j] = fma(left, right[j], sums.sum[r][j]);
      }
      b += columns;
    };
    for (i64 i = 0, end = 0; i < tap->length;) {
      matmul_ask<matmul_right_asked>(ahead);
      ahead += matmul_right_asked;
      end = smaller(tap->length, end + t.every);
      if constexpr (windows_unrolls && rows * vectors == Panel::rows * Panel::vectors) {
#pragma clang loop unroll(disable)
        for (; i + 4 <= end; i += 4) step(i), step(i + 1), step(i + 2), step(i + 3);
      }
#pragma clang loop unroll(disable)
      for (; i < end; ++i) step(i);
    }
  }
  sums.write(t.c, t.c_stride);
}

template <class Acc>
using WindowsTileOf = void (*)(const WindowsTile<Acc>&);

template <class Acc, int... i>
VITRO_INLINE WindowsTileOf<Acc> windows_tile_of(i64 rows, i64 vectors, LaneList<int, i...>) {
  constexpr int most = MatmulPanel<Acc>::vectors;
  static constexpr WindowsTileOf<Acc> tiles[] = {windows_tile<i / most + 1, i % most + 1, Acc>...};
  return tiles[(rows - 1) * most + vectors - 1];
}

// The rows of a block: where their windows start, and which of their taps are inside the images.
class WindowsRows {
 public:
  [[gnu::always_inline]] explicit WindowsRows(const Windows& windows) : w_(windows) {}

  // Also goes back to the first tap.
  [[gnu::always_inline]] void find(i64 row, i64 rows) {
    const i64 plane = w_.out[1] * w_.out[2], image = w_.out[0] * plane;
    i64 n = row / image, left = row % image;
    i64 at[3] = {left / plane, left % plane / w_.out[2], left % w_.out[2]};
    lines_ = 0;
    for (i64 r = 0; r < rows;) {
      Line& line = line_[lines_++];
      line = {r, smaller(w_.out[2] - at[2], rows - r), at[2], {}};
      i64 element = n * w_.image_stride;
      for (int d = 0; d < 3; ++d) {
        const i64 first = at[d] * w_.stride[d] - w_.padding[d];
        line.position[d] = first;
        element += first * w_.position_stride[d];
      }
      const i64 step = w_.stride[2] * w_.position_stride[2];
      for (i64 i = 0; i < line.rows; ++i) start_[r + i] = element + i * step;
      r += line.rows;
      at[2] = 0;
      if (++at[1] < w_.out[1]) continue;
      at[1] = 0;
      if (++at[0] < w_.out[0]) continue;
      at[0] = 0, ++n;
    }
    for (int d = 0; d < 3; ++d) tap_[d] = 0, inside_[d] = inside(d, 0);
  }

  // Of each row, in elements.
  const i64* start() const { return start_; }

  // All channels of the next tap; the first one follows the last.
  [[gnu::always_inline]] WindowsTap next_tap() {
    i64 offset = 0;
    for (int d = 0; d < 3; ++d) offset += tap_[d] * w_.dilation[d] * w_.position_stride[d];
    const WindowsTap tap{offset, w_.channels, inside_[0] & inside_[1] & inside_[2]};
    for (int d = 3; d-- > 0;) {
      const bool wraps = ++tap_[d] >= w_.taps[d];
      if (wraps) tap_[d] = 0;
      if (w_.taps[d] > 1) inside_[d] = inside(d, tap_[d]);
      if (!wraps) break;
    }
    return tap;
  }

 private:
  // Adjacent rows in one line of an image: the first, the column of its result, and the position of
  // its window.
  struct Line {
    i64 row, rows, column, position[3];
  };

  static u64 ones(i64 count) { return count < 64 ? (u64(1) << count) - 1 : ~u64(0); }

  // The rows for which index `tap` of dimension d is inside the image.
  [[gnu::always_inline]] u64 inside(int d, i64 tap) const {
    const i64 moved = tap * w_.dilation[d];
    u64 bits = 0;
    if (d < 2) {
      for (i64 i = 0; i < lines_; ++i) {
        const Line& line = line_[i];
        if (u64(line.position[d] + moved) < u64(w_.size[d])) bits |= ones(line.rows) << line.row;
      }
      return bits;
    }
    // The columns of results whose position is not before the image, and the first one after it.
    const i64 stride = w_.stride[2], before = w_.padding[2] - moved,
              low = before > 0 ? divide_up(before, stride) : 0, beyond = w_.size[2] + before,
              high = beyond > 0 ? divide_up(beyond, stride) : 0;
    for (i64 i = 0; i < lines_; ++i) {
      const Line& line = line_[i];
      const i64 first = low > line.column ? low - line.column : 0,
                end = smaller(high - line.column, line.rows);
      if (end > first) bits |= ones(end - first) << (line.row + first);
    }
    return bits;
  }

  const Windows& w_;
  i64 start_[product_rows];
  Line line_[product_rows];
  i64 lines_ = 0;
  i64 tap_[3] = {};
  u64 inside_[3] = {};
};

// At most product_rows rows of a call, from `first` on: some taps at a time, each times all panels
// of B.
template <class Acc>
class WindowsRun {
 public:
  [[gnu::always_inline]] WindowsRun(const WindowsCall& call, i64 first)
      : call_(call),
        w_(*call.windows),
        parts_((Acc*)call.c + first * call.c_row_stride, call.c_row_stride, call.finish, first),
        row_(call.row + first),
        count_(smaller(product_rows, call.rows - first)),
        tiles_(divide_up(count_, Panel::rows)),
        panels_(divide_up(call.columns, Panel::columns)),
        pieces_(w_.channels > 0 ? divide_up(w_.channels, depth) : 1) {}

  [[gnu::always_inline]] void run() {
    rows_.find(row_, count_);
    const i64 taps = w_.taps[0] * w_.taps[1] * w_.taps[2], all = taps * pieces_,
              length = divide_up(w_.channels, pieces_),
              most = smaller(most_taps, depth / (length > 0 ? length : 1)),
              each = divide_up(all, divide_up(all, most));
    i64 k = 0;
    for (i64 first = 0; first < all; first += each) {
      const i64 count = smaller(each, all - first);
      i64 rows_of_b = 0;
      for (i64 i = 0; i < count; ++i) {
        taps_[i] = next_piece(length);
        rows_of_b += taps_[i].length;
      }
      first_ = first == 0, last_ = first + count == all;
      for (i64 panel = 0; panel < panels_; ++panel) multiply(panel, k, count, rows_of_b);
      k += rows_of_b;
    }
  }

 private:
  using Panel = MatmulPanel<Acc>;
  static constexpr i64 depth = matmul_depth<Acc>, most_taps = 128;

  // The next part of all taps, each of which has `pieces_` parts of at most `length` channels.
  [[gnu::always_inline]] WindowsTap next_piece(i64 length) {
    if (piece_ == 0) tap_ = rows_.next_tap();
    const i64 first = piece_ * length;
    if (++piece_ == pieces_) piece_ = 0;
    WindowsTap tap = tap_;
    tap.offset += first;
    tap.length = smaller(length, w_.channels - first);
    return tap;
  }

  [[gnu::always_inline]] void multiply(i64 panel, i64 k, i64 count, i64 rows_of_b) {
    const i64 column = panel * Panel::columns,
              vectors = smaller(divide_up(call_.columns - column, 16), Panel::vectors),
              low = count_ / tiles_, higher = count_ % tiles_;
    const Acc *all = (const Acc*)call_.b,
              *b = all + panel * call_.b_panel_stride + k * Panel::columns,
              *next = panel + 1 < panels_ ? b + call_.b_panel_stride
                                          : all + (k + rows_of_b) * Panel::columns;
    const i64 bytes = rows_of_b * Panel::columns * i64(sizeof(Acc)),
              of_tile = divide_up(divide_up(bytes, tiles_), 64) * 64,
              every = windows_ahead_every<Acc>(tiles_);
    const char* ahead = (const char*)next;
    parts_.start(first_, last_, vectors);
    for (i64 tile = 0, row = 0; tile < tiles_;) {
      const i64 first = row, end = tile + parts_.tiles(tiles_ - tile, low + (tile < higher)),
                stride = parts_.stride();
      Acc* c = parts_.at(first, column);
      for (; tile < end; ++tile) {
        const i64 rows = low + (tile < higher);
        constexpr int variants = Panel::rows * Panel::vectors;
        windows_tile_of<Acc>(rows, vectors, __make_integer_seq<LaneList, int, variants>{})(
            {(const Acc*)call_.x, rows_.start(), taps_, count, row, b, c, stride, k > 0, ahead,
             every});
        ahead += of_tile;
        row += rows, c += rows * stride;
      }
      parts_.finish(first, row - first, column, smaller(Panel::columns, call_.columns - column));
    }
  }

  const WindowsCall& call_;
  const Windows& w_;
  MatmulParts<Acc> parts_;
  const i64 row_, count_, tiles_, panels_, pieces_;
  WindowsRows rows_{w_};
  WindowsTap tap_{};
  i64 piece_ = 0;                      // the next one of tap_
  bool first_ = false, last_ = false;  // of the parts of the taps
  WindowsTap taps_[most_taps];
};

template <class Acc>
[[gnu::noinline]] static void matmul_multiply_windows(const WindowsCall& call) {
  for (i64 row = 0; row < call.rows; row += product_rows) WindowsRun<Acc>(call, row).run();
}

}  // namespace vitro::kernels::inline VITRO_ISA
