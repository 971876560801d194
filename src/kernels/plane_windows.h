// Products of windows over planes (product.h): images whose positions are contiguous instead of
// their channels. The rows of a line copy what their windows read into strips, one for each line of
// a channel and each phase of a stride; there, element p of all windows is contiguous, and the
// padding is zeros. The order of the products is that of windows over channels.
//
//   matmul_multiply_planes<f32>(call);
//
// Not part of the prelude: compiled ahead only (matmul_table.kernel.cpp).
#pragma once
#include "kernels/matmul.h"
#include "kernels/window.h"

namespace vitro::kernels::inline VITRO_ISA {

// Rows of a full tile of so many vectors of columns: independent sums that fill the registers, as
// far as the elements that are broadcast can be loaded while they are added.
constexpr int plane_tile_rows(int vectors) {
#if defined(__AVX512F__)
  constexpr int rows[] = {14, 12, 8, 6};
#elif defined(__AVX2__)
  constexpr int rows[] = {6};
#else
  constexpr int rows[] = {2};
#endif
  return rows[vectors - 1];
}
constexpr int plane_tile_least(int vectors) {
  return (plane_tile_rows(vectors) + 1) / 2;
}

// c[rows][16 * vectors] = the sums; element p of row r is at x[offsets[p] + r].
template <int rows, int vectors, class Acc>
[[gnu::noinline]] static void plane_tile(const Acc* x, const i64* offsets, i64 k, const Acc* b,
                                         Acc* c) {
  MatmulSums<rows, vectors, Acc> sums;
#pragma clang loop unroll(disable)
  for (const i64* end = offsets + k; offsets != end; ++offsets) {
    Vec<Acc> right[vectors];
#pragma clang loop unroll(full)
    for (int j = 0; j < vectors; ++j) right[j] = load(b + j * 16);
    sums.add(x + *offsets, 1, right);
    b += MatmulPanel<Acc>::columns;
  }
  sums.write(c, 16 * vectors);
}

// At most eight columns fill half of a vector: tiles of them have lanes along rows instead, and
// transpose their sums. AVX2 has too few registers for that.
inline constexpr i64 plane_turned_vectors = 2, plane_turned_rows = 16 * plane_turned_vectors;
#if defined(__AVX512F__)
inline constexpr i64 plane_turned_columns = 8;
#else
inline constexpr i64 plane_turned_columns = 0;
#endif

// c[plane_turned_rows][16] = the sums, for the first columns of sixteen.
template <class Acc>
[[gnu::noinline]] static void plane_turned_tile(const Acc* x, const i64* offsets, i64 k,
                                                const Acc* b, Acc* c) {
  Vec<Acc> sum[plane_turned_vectors][16] = {};
#pragma clang loop unroll(disable)
  for (const i64* end = offsets + k; offsets != end; ++offsets, b += MatmulPanel<Acc>::columns) {
#pragma clang loop unroll(full)
    for (int j = 0; j < plane_turned_columns; ++j) {
      const Vec<Acc> right = splat(b[j]);
#pragma clang loop unroll(full)
      for (int v = 0; v < plane_turned_vectors; ++v)
        sum[v][j] = fma(load(x + *offsets + 16 * v), right, sum[v][j]);
    }
  }
#pragma clang loop unroll(full)
  for (int v = 0; v < plane_turned_vectors; ++v) {
    transpose(sum[v]);
#pragma clang loop unroll(full)
    for (int i = 0; i < 16; ++i) store(c + (16 * v + i) * 16, sum[v][i]);
  }
}

template <class Acc>
using PlaneTile = void (*)(const Acc*, const i64*, i64, const Acc*, Acc*);

template <int vectors, class Acc, int... i>
VITRO_INLINE PlaneTile<Acc> plane_tile_of(i64 rows, LaneList<int, i...>) {
  constexpr int least = plane_tile_least(vectors);
  static constexpr PlaneTile<Acc> tiles[] = {plane_tile<least + i, vectors, Acc>...};
  return tiles[rows - least];
}

// Lanes `from`, from + 2, ... of two vectors.
template <int from, class V>
VITRO_INLINE V plane_every_second(V low, V high) {
  return __builtin_shufflevector(low, high, from, from + 2, from + 4, from + 6, from + 8, from + 10,
                                 from + 12, from + 14, from + 16, from + 18, from + 20, from + 22,
                                 from + 24, from + 26, from + 28, from + 30);
}

// A line of a plane; elements outside it are zero.
template <class Acc>
struct PlaneLine {
  const Acc* x;
  i64 size;
  [[gnu::always_inline]] bool holds(i64 first, i64 count) const {
    return first >= 0 && first + count <= size;
  }

  // Elements [first, first + 16).
  [[gnu::always_inline]] Vec<Acc> at(i64 first) const {
    return load_between(x + first, -first, size - first);
  }
  // Elements first + i * stride.
  [[gnu::always_inline]] Vec<Acc> spread(i64 first, i64 stride) const {
    if (holds(first, 15 * stride + 1)) return load_strided(x + first, stride);
    Acc lanes[16];
#pragma clang loop vectorize(disable) unroll(disable)
    for (i64 i = 0; i < 16; ++i, first += stride) lanes[i] = holds(first, 1) ? x[first] : Acc(0);
    return load(lanes);
  }
};

// Copies elements first + phase + i * stride to to[phase * plane_strip + i], for i < count.
template <class Acc>
VITRO_INLINE void plane_copy(const PlaneLine<Acc>& line, i64 first, i64 stride, i64 phases,
                             i64 count, Acc* to) {
  if (stride == 1) {
    for (i64 i = 0; i < count; i += 16) store(to + i, line.at(first + i));
  } else if (stride == 2) {
    for (i64 i = 0; i < count; i += 16, first += 32) {
      const bool inside = line.holds(first, 32);
      const Acc* x = line.x + first;
      const Vec<Acc> low = inside ? load(x) : line.at(first),
                     high = inside ? load(x + 16) : line.at(first + 16);
      store(to + i, plane_every_second<0>(low, high));
      if (phases > 1) store(to + plane_strip + i, plane_every_second<1>(low, high));
    }
  } else {
    for (i64 phase = 0; phase < phases; ++phase, to += plane_strip) {
      for (i64 i = 0; i < count; i += 16)
        store(to + i, line.spread(first + phase + i * stride, stride));
    }
  }
}

template <class Acc>
class PlaneWindowsRun {
 public:
  [[gnu::always_inline]] explicit PlaneWindowsRun(const WindowsCall& call)
      : call_(call), w_(*call.windows), turned_(call.columns <= plane_turned_columns) {
    const i64 reach = (w_.taps[2] - 1) * w_.dilation[2];
    phases_ = smaller(w_.stride[2], reach + 1);
    i64 lines = w_.taps[0] * w_.taps[1];
    for (i64 line = 0; line < lines; ++line) {
      for (i64 tap = 0, phase = 0, shift = 0; tap < w_.taps[2]; ++tap) {
        for (i64 channel = 0; channel < w_.channels; ++channel)
          offsets_[k_++] = ((line * w_.channels + channel) * phases_ + phase) * strip + shift;
        shift_ = shift;
        for (phase += w_.dilation[2]; phase >= w_.stride[2]; phase -= w_.stride[2]) ++shift;
      }
    }
  }

  [[gnu::always_inline]] void run() {
    const i64 plane = w_.out[1] * w_.out[2], image = w_.out[0] * plane;
    i64 n = call_.row / image, left = call_.row % image;
    i64 at[3] = {left / plane, left % plane / w_.out[2], left % w_.out[2]};
    for (i64 row = 0; row < call_.rows;) {
      const i64 rows = smaller(smaller(w_.out[2] - at[2], product_rows), call_.rows - row);
      copy(n, at, rows);
      for (i64 column = 0; column < call_.columns; column += Panel::columns)
        multiply(row, rows, column);
      row += rows;
      if ((at[2] += rows) < w_.out[2]) continue;
      at[2] = 0;
      if (++at[1] < w_.out[1]) continue;
      at[1] = 0;
      if (++at[0] < w_.out[0]) continue;
      at[0] = 0, ++n;
    }
  }

 private:
  using Panel = MatmulPanel<Acc>;
  static constexpr i64 strip = plane_strip;

  // Fills the strips for some rows of a line.
  [[gnu::always_inline]] void copy(i64 n, const i64 (&at)[3], i64 rows) {
    const i64 first = at[2] * w_.stride[2] - w_.padding[2],
              computed = turned_ ? divide_up(rows, plane_turned_rows) * plane_turned_rows
                         : rows > least_rows ? rows
                                             : least_rows,
              count = computed + shift_;
    Acc* to = strips_;
    for (i64 z = 0; z < w_.taps[0]; ++z) {
      for (i64 y = 0; y < w_.taps[1]; ++y) {
        const i64 position[2] = {at[0] * w_.stride[0] - w_.padding[0] + z * w_.dilation[0],
                                 at[1] * w_.stride[1] - w_.padding[1] + y * w_.dilation[1]};
        const bool inside =
            u64(position[0]) < u64(w_.size[0]) && u64(position[1]) < u64(w_.size[1]);
        const i64 start = n * w_.image_stride + position[0] * w_.position_stride[0] +
                          position[1] * w_.position_stride[1];
        for (i64 channel = 0; channel < w_.channels; ++channel) {
          const Acc* line =
              (const Acc*)call_.x + (inside ? start + channel * w_.channel_stride : 0);
          plane_copy<Acc>({line, inside ? w_.size[2] : 0}, first, w_.stride[2], phases_, count, to);
          to += phases_ * strip;
        }
      }
    }
  }

  [[gnu::always_inline]] void multiply(i64 row, i64 rows, i64 column) {
    const i64 columns = smaller(Panel::columns, call_.columns - column);
    const Acc* b = (const Acc*)call_.b + column / Panel::columns * call_.b_panel_stride;
    if constexpr (plane_turned_columns > 0) {
      if (turned_) return multiply_turned(row, rows, b);
    }
    by_vectors<Panel::vectors>(divide_up(columns, 16), row, rows, column, columns, b);
  }

  [[gnu::always_inline]] void multiply_turned(i64 row, i64 rows, const Acc* b) {
    for (i64 first = 0; first < rows; first += plane_turned_rows) {
      plane_turned_tile(strips_ + first, offsets_, k_, b, sums_);
      pass_on<1>({row + first, smaller(plane_turned_rows, rows - first), 0, call_.columns});
    }
  }

  template <int vectors>
  [[gnu::always_inline]] void by_vectors(i64 wanted, i64 row, i64 rows, i64 column, i64 columns,
                                         const Acc* b) {
    if constexpr (vectors > 1) {
      if (wanted < vectors) return by_vectors<vectors - 1>(wanted, row, rows, column, columns, b);
    }
    constexpr int most = plane_tile_rows(vectors), least = plane_tile_least(vectors);
    const i64 tiles = divide_up(rows, most), low = rows / tiles, higher = rows % tiles;
    for (i64 tile = 0, first = 0; tile < tiles;) {
      i64 count = 0;
      for (; tile < tiles && count * vectors < part_vectors; ++tile) {
        const i64 height = low + (tile < higher), computed = height > least ? height : least;
        constexpr __make_integer_seq<LaneList, int, most - least + 1> all{};
        plane_tile_of<vectors, Acc>(computed, all)(strips_ + first + count, offsets_, k_, b,
                                                   sums_ + count * 16 * vectors);
        count += height;
      }
      pass_on<vectors>({row + first, count, column, columns});
      first += count;
    }
  }

  // Runs what follows the sums of rows of the call, or stores them.
  template <int vectors>
  [[gnu::always_inline]] void pass_on(const ProductBlock& part) {
    if (const ProductFinish* finish = call_.finish) {
      finish->run(finish->what,
                  {finish->row + part.row, part.rows, finish->column + part.column, part.columns},
                  sums_, 16 * vectors);
      return;
    }
    for (i64 i = 0; i < part.rows; ++i) {
      Acc* c = (Acc*)call_.c + (part.row + i) * call_.c_row_stride + part.column;
#pragma clang loop unroll(full)
      for (i64 j = 0; j < 16 * vectors; j += 16) store(c + j, load(sums_ + i * 16 * vectors + j));
    }
  }

  // A tile of fewer rows computes some that are not used.
  static constexpr i64 least_rows = plane_tile_least(1), part_vectors = 24,
                       most_sums = 2 * part_vectors * 16;
  static_assert(plane_tile_rows(1) <= part_vectors);

  const WindowsCall& call_;
  const Windows& w_;
  const bool turned_;
  i64 phases_ = 1, shift_ = 0, k_ = 0;
  i64 offsets_[plane_most_k];
  alignas(64) Acc sums_[most_sums];
  alignas(64) Acc strips_[plane_most_strips * strip];
};

template <class Acc>
[[gnu::noinline]] static void matmul_multiply_planes(const WindowsCall& call) {
  PlaneWindowsRun<Acc>(call).run();
}

}  // namespace vitro::kernels::inline VITRO_ISA
