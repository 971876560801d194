// Products of windows (convolutions) on AMX tiles, by parts of bf16 as in matmul_bf16x6.h. What the
// windows of a block read is split once, position by position, and multiplied by each panel.
//
// Positions that a stride separates are apart: a plane has every stride-th line and every stride-th
// position of it, so that the windows of adjacent rows read adjacent positions at each tap, and a
// tile of A is 16 of them at some channels. Lines follow one another with their padding, which is
// 0; the rows that would be windows across the end of a line are computed and not used.
//
// Not part of the prelude: compiled ahead only (matmul_table.kernel.cpp).
#pragma once
#include "kernels/matmul_bf16x6.h"

#if defined(__AVX512F__)
#define VITRO_TILES [[gnu::target("amx-tile,amx-bf16")]]

namespace vitro::kernels::inline VITRO_ISA {

// Steps of 32 channels for which sums stay in tiles: 252 KiB of 32 columns of B.
inline constexpr i64 split_steps = 42;

// How windows are read.
struct SplitLayout : SplitPlanes {
  i64 steps, position;  // of a position: steps of 32 channels, and words

  [[gnu::always_inline]] explicit SplitLayout(const Windows& w)
      : SplitPlanes(w),
        steps(divide_up(w.channels, tile_k)),
        position(split_position(w.channels)) {}
};

// Rows of a call that are lines of an image, or a part of one line.
struct SplitLines {
  i64 image, line, lines, first, rows;  // positions [first, first + rows) of each line
  i64 width, plane;                     // positions of a line of a plane, and of a plane

  [[gnu::always_inline]] SplitLines(const SplitCall& call, const SplitLayout& s, i64 row) {
    const Windows& w = *call.windows;
    const i64 number = row / w.out[2], left = call.row + call.rows - row;
    image = number / w.out[1], line = number % w.out[1];
    first = row % w.out[2], rows = smaller(left, w.out[2] - first);
    lines = rows == w.out[2] ? smaller(left / rows, w.out[1] - line) : 1;
    width = rows + s.more[1];
    plane = (lines + s.more[0]) * width;
  }
  [[gnu::always_inline]] i64 tiles() const {
    return divide_up((lines - 1) * width + rows, tile_rows);
  }
};

// Splits the channels of a position; those that do not exist are 0.
VITRO_INLINE void split_channels(const f32* x, i64 channels, u32* to) {
  i64 c = 0;
  for (; c + tile_k <= channels; c += tile_k, to += bf16_parts * 16)
    bf16x6_split(load(x + c), load(x + c + 16), to, 16);
  if (c < channels)
    bf16x6_split(load(x + c, channels - c), load(x + c + 16, channels - c - 16), to, 16);
}

// Splits a plane, whose first position is (y, x) of the image.
[[gnu::noinline]] static void split_plane(const Windows& w, const SplitLayout& s,
                                          const SplitLines& at, const f32* image, i64 y, i64 x,
                                          u32* to) {
  for (i64 i = 0; i < at.plane; i += at.width, y += w.stride[1]) {
    const bool inside = u64(y) < u64(w.size[1]);
    const f32* from = image + y * w.position_stride[1] + x * w.position_stride[2];
    for (i64 j = 0; j < at.width; ++j, to += s.position) {
      if (inside && u64(x + j * w.stride[2]) < u64(w.size[2])) {
        split_channels(from + j * w.stride[2] * w.position_stride[2], w.channels, to);
      } else {
        for (i64 k = 0; k < s.steps * bf16_parts * 16; k += 16) store(to + k, Vec<u32>{});
      }
    }
  }
}

// Splits what the windows of a call read; returns the number of its ranges.
[[gnu::noinline]] static i64 split_read(const SplitCall& call) {
  const Windows& w = *call.windows;
  const SplitLayout s(w);
  u32* to = (u32*)call.scratch;
  i64 ranges = 0, sum = 0;
  for (i64 row = call.row; row < call.row + call.rows;) {
    const SplitLines at(call, s, row);
    const f32* image = (const f32*)call.x + at.image * w.image_stride;
    const i64 y = at.line * w.stride[1] - w.padding[1], x = at.first * w.stride[2] - w.padding[2];
    for (i64 down = 0; down < s.planes[0]; ++down) {
      for (i64 across = 0; across < s.planes[1]; ++across, to += at.plane * s.position)
        split_plane(w, s, at, image, y + down, x + across, to);
    }
    if (at.width == at.rows) {
      call.ranges[ranges++] = {row, at.lines * at.rows, sum};
    } else {
      for (i64 line = 0; line < at.lines; ++line)
        call.ranges[ranges++] = {row + line * at.rows, at.rows, sum + line * at.width};
    }
    row += at.lines * at.rows;
    sum += at.tiles() * tile_rows;
  }
  return ranges;
}

// One or two tiles of rows times one or two of columns.
struct SplitTile {
  const u32* a;
  const i64* offsets;  // of each step, in words of A
  i64 steps, a_bytes;  // bytes between rows of A
  const u32* b;
  f32* c;
  bool add;
};

template <int row_tiles, int column_tiles>
VITRO_TILES [[gnu::noinline]] static void split_tiles(const SplitTile& t) {
  using Tiles = Bf16x6Tiles<row_tiles, column_tiles>;
  Tiles::begin(t.c, bf16x6_panel, t.add);
  const u32 *a = t.a, *below = a + tile_rows * t.a_bytes / 4, *b = t.b;
  const i64 a_bytes = t.a_bytes;
  for (const i64 *offset = t.offsets, *end = offset + t.steps; offset < end; ++offset) {
    Tiles::template add<16>(a + *offset, below + *offset, a_bytes, b);
    b += bf16x6_step;
  }
  Tiles::end(t.c, bf16x6_panel);
}

// The sums of at most 16 adjacent rows by matmul.h, in the order of taps and channels.
[[gnu::noinline]] static void split_multiply_by_fma(const SplitPanel& panel, i64 row, i64 rows,
                                                    f32* sums) {
  const Windows& w = *panel.call->windows;
  alignas(64) f32 a[tile_rows * tile_k], b[tile_k * bf16x6_panel];
  const u32* packed = (const u32*)panel.b;
  const i64 line = row / w.out[2], y = line % w.out[1] * w.stride[1] - w.padding[1],
            x = row % w.out[2] * w.stride[2] - w.padding[2],
            k = w.taps[1] * w.taps[2] * divide_up(w.channels, tile_k) * tile_k;
  const f32* image = (const f32*)panel.call->x + line / w.out[1] * w.image_stride;
  bool add = false;
  for (i64 tap = 0; tap < w.taps[1] * w.taps[2]; ++tap) {
    const i64 at_y = y + tap / w.taps[2] * w.dilation[1],
              at_x = x + tap % w.taps[2] * w.dilation[2];
    for (i64 c = 0; c < w.channels; c += tile_k, packed += bf16x6_step, add = true) {
      const i64 depth = smaller(tile_k, w.channels - c);
      for (i64 r = 0; r < rows; ++r) {
        const i64 at = at_x + r * w.stride[2];
        const bool inside = u64(at_y) < u64(w.size[1]) && u64(at) < u64(w.size[2]);
        const f32* from = image + at_y * w.position_stride[1] + at * w.position_stride[2] + c;
        for (i64 i = 0; i < tile_k; i += 16)
          store(a + r * tile_k + i, load(from + i, inside ? depth - i : 0));
      }
      bf16x6_unpack(packed, k, depth, b);
      matmul_multiply<f32, f32, f32>({rows, panel.columns, depth, a, tile_k, 1, b, bf16x6_panel,
                                      depth * bf16x6_panel, sums, bf16x6_panel, add});
    }
  }
}

// A run of split_multiply().
class SplitRun {
 public:
  [[gnu::always_inline]] explicit SplitRun(const SplitPanel& panel)
      : panel_(panel),
        call_(*panel.call),
        w_(*call_.windows),
        sums_((f32*)call_.scratch + call_.sums) {}

  VITRO_TILES [[gnu::always_inline]] const f32* run() {
    const i64 all = w_.taps[1] * w_.taps[2] * s_.steps;
    __builtin_ia32_tile_loadconfig(&tile_shapes);
    for (i64 step = 0; step < all; step += split_steps)
      multiply(step, smaller(split_steps, all - step), all * tile_k);
    __builtin_ia32_tilerelease();
    for (i64 i = 0; i < panel_.ranges; ++i) {
      const RowRange& at = call_.ranges[i];
      if (any_special(sums_ + at.sum * bf16x6_panel, bf16x6_panel, at.rows, panel_.columns))
        repair(at);
    }
    return sums_;
  }

 private:
  // Steps [step, step + count) of k rows of B, added to the sums of those before.
  VITRO_TILES [[gnu::always_inline]] void multiply(i64 step, i64 count, i64 k) {
    const u32* from = (const u32*)call_.scratch;
    f32* sums = sums_;
    for (i64 row = call_.row; row < call_.row + call_.rows;) {
      const SplitLines at(call_, s_, row);
      find_offsets(at, step, count);
      const i64 tiles = at.tiles();
      for (i64 column = 0; column < panel_.columns; column += 32) {
        const bool wide = panel_.columns - column > 16;
        const u32* b = (const u32*)panel_.b + step * bf16x6_step + bf16x6_column(k, column);
        for (i64 i = 0; i < tiles; i += 2) {
          (i + 1 < tiles ? wide ? split_tiles<2, 2> : split_tiles<2, 1>
                         : (wide ? split_tiles<1, 2> : split_tiles<1, 1>))(
              {from + i * tile_rows * s_.position, offsets_, count, s_.position * 4, b,
               sums + i * tile_rows * bf16x6_panel + column, step > 0});
        }
      }
      from += s_.planes[0] * s_.planes[1] * at.plane * s_.position;
      sums += tiles * tile_rows * bf16x6_panel;
      row += at.lines * at.rows;
    }
  }

  [[gnu::always_inline]] void find_offsets(const SplitLines& at, i64 step, i64 count) {
    for (i64 i = 0; i < count; ++i) {
      const i64 tap = (step + i) / s_.steps, down = tap / w_.taps[2] * w_.dilation[1],
                across = tap % w_.taps[2] * w_.dilation[2],
                plane = down % w_.stride[1] * s_.planes[1] + across % w_.stride[2];
      offsets_[i] = (plane * at.plane + down / w_.stride[1] * at.width + across / w_.stride[2]) *
                        s_.position +
                    (step + i) % s_.steps * (bf16_parts * 16);
    }
  }

  // Computes the rows of a range again in which a sum is infinite or NaN: others keep their bits,
  // however the product is cut.
  [[gnu::noinline]] void repair(const RowRange& at) const {
    const auto sums = [&](i64 row) { return sums_ + (at.sum + row) * bf16x6_panel; };
    for (i64 row = 0; row < at.rows;) {
      const i64 of_line = w_.out[2] - (at.row + row) % w_.out[2],
                most = smaller(smaller(at.rows - row, tile_rows), of_line);
      i64 count = 0;
      while (count < most && any_special(sums(row + count), 0, 1, panel_.columns)) ++count;
      if (count > 0) split_multiply_by_fma(panel_, at.row + row, count, sums(row));
      row += count > 0 ? count : 1;
    }
  }

  const SplitPanel& panel_;
  const SplitCall& call_;
  const Windows& w_;
  const SplitLayout s_{w_};
  f32* sums_;
  i64 offsets_[split_steps];
};

VITRO_TILES [[gnu::noinline]] static const f32* split_multiply(const SplitPanel& panel) {
  return SplitRun(panel).run();
}

// Blocks of at most `most` rows, of whole lines if they are that short, and all columns; smaller
// ones if the threads would have fewer than two blocks each.
[[gnu::noinline]] static ProductCut split_cut(i64 m, i64 n, i64 most, i64 line, i64 threads) {
  constexpr i64 width = bf16x6_panel, least_rows = 64;
  const i64 unit = line <= most ? line : tile_rows, units = divide_up(m, unit);
  ProductCut cut{m, n, unit, divide_up(units, most / unit), divide_up(n, width) * width, 0};
  const i64 wanted = threads > 1 ? 2 * threads : 1;
  const auto count = [&] { return cut.count = cut.row_blocks * divide_up(n, cut.columns); };
  while (count() < wanted && m >= 2 * least_rows * cut.row_blocks && units >= 2 * cut.row_blocks)
    cut.row_blocks *= 2;
  while (count() < wanted && cut.columns > width)
    cut.columns = divide_up(cut.columns / 2, width) * width;
  return cut;
}

}  // namespace vitro::kernels::inline VITRO_ISA
#undef VITRO_TILES
#endif
