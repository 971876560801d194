// The products of product.h by register tiles: B packed into panels, A's elements broadcast,
// products added along k in ascending order into one accumulator per element with fma.
//
//   using Panel = MatmulPanel<f32>;                               // type of the accumulators
//   matmul_pack<f32>(b, ldb, 1, k, n, packed, 0, panel_count<f32>(n));
//   matmul_multiply<f32, f32, f32>(call);                         // sums, A, B
//
// Not part of the prelude: compiled ahead only (matmul_table.kernel.cpp).
#pragma once
#include "kernels/convert.h"
#include "kernels/product.h"
#include "kernels/transpose.h"

namespace vitro::kernels::inline VITRO_ISA {

// The register tile: `rows` by `columns` accumulators.
template <class Acc>
struct MatmulPanel {
#if defined(__AVX512F__)
  static constexpr int rows = 6, vectors = sizeof(Acc) == 4 ? 4 : 2;
#elif defined(__AVX2__)
  static constexpr int rows = sizeof(Acc) == 4 ? 6 : 2, vectors = 1;
#else
  static constexpr int rows = 2, vectors = 1;
#endif
  static constexpr i64 columns = vectors * 16;
};

VITRO_INLINE i64 smaller(i64 a, i64 b) {
  return a < b ? a : b;
}
VITRO_INLINE i64 divide_up(i64 a, i64 b) {
  return (a + b - 1) / b;
}

template <class Acc>
VITRO_INLINE i64 panel_count(i64 n) {
  return divide_up(n, MatmulPanel<Acc>::columns);
}
// Size of the packed B in elements.
template <class Acc>
VITRO_INLINE i64 packed_size(i64 k, i64 n) {
  return panel_count<Acc>(n) * MatmulPanel<Acc>::columns * k;
}

// Rows of a panel that all tiles of a block use before the next rows: 24 KiB, which stay in the L1
// cache.
template <class Acc>
inline constexpr i64 matmul_depth = (24 << 10) / (MatmulPanel<Acc>::columns * i64(sizeof(Acc)));

// Blocks as high as possible: each reads all of its columns of B from a farther cache. Smaller ones
// if the threads would have fewer than four blocks each.
template <class Acc>
[[gnu::noinline]] static ProductCut matmul_cut(i64 m, i64 n, i64, i64 threads) {
  constexpr i64 columns = MatmulPanel<Acc>::columns, height = MatmulPanel<Acc>::rows;
  const i64 wanted = threads > 1 ? 4 * threads : 1;
  ProductCut cut{m, n, 1, divide_up(m, product_rows), product_columns<Acc>, 0};
  const auto count = [&] { return cut.count = cut.row_blocks * divide_up(n, cut.columns); };
  while (count() < wanted && cut.columns > columns) cut.columns /= 2;
  while (count() < wanted && cut.row_blocks < divide_up(m, height)) {
    cut.row_blocks = smaller(2 * cut.row_blocks, divide_up(m, height));
  }
  return cut;
}

// Blocks whose sums are transposed: sixteen rows are finished together.
template <class Acc>
[[gnu::noinline]] static ProductCut matmul_cut_turned(i64 m, i64 n, i64, i64 threads) {
  constexpr i64 columns = MatmulPanel<Acc>::columns;
  const i64 wanted = threads > 1 ? 4 * threads : 1;
  ProductCut cut{m, n, 16, divide_up(m, product_rows), product_columns<Acc>, 0};
  const auto count = [&] { return cut.count = cut.row_blocks * divide_up(n, cut.columns); };
  while (count() < wanted && cut.row_blocks < divide_up(m, 16)) {
    cut.row_blocks = smaller(2 * cut.row_blocks, divide_up(m, 16));
  }
  while (count() < wanted && cut.columns > columns) cut.columns /= 2;
  return cut;
}

// to[j][i] = from[i][j]; rows of `to` up to the next multiple of 16 elements are written.
template <class Acc>
[[gnu::noinline]] static void matmul_turn(const Acc* from, i64 from_stride, i64 rows, i64 columns,
                                          Acc* to, i64 to_stride) {
  if (columns == 1) {
    for (i64 i = 0; i < rows; i += 16)
      store(to + i, load_strided(from + i * from_stride, from_stride, rows - i));
    return;
  }
#if defined(__x86_64__) && !defined(__AVX2__)  // one by one, for less code
#pragma clang loop vectorize(disable) unroll(disable)
  for (i64 i = 0; i < divide_up(rows, 16) * 16; ++i) {
#pragma clang loop vectorize(disable) unroll(disable)
    for (i64 j = 0; j < columns; ++j)
      to[j * to_stride + i] = i < rows ? from[i * from_stride + j] : Acc(0);
  }
#else
  for (i64 i = 0; i < rows; i += 16) {
    for (i64 j = 0; j < columns; j += 16) {
      Vec<Acc> v[16];
#pragma clang loop unroll(full)
      for (i64 r = 0; r < 16; ++r)
        v[r] = i + r < rows ? load(from + (i + r) * from_stride + j) : Vec<Acc>{};
      transpose(v);
#pragma clang loop unroll(full)
      for (i64 c = 0; c < 16; ++c) {
        if (j + c < columns) store(to + (j + c) * to_stride + i, v[c]);
      }
    }
  }
#endif
}

// Packs `count` columns of B, contiguous along k, into 16 columns of a panel: transposes blocks of
// 16 by 16. Returns the number of rows done: all full blocks.
template <i64 columns, bool past, class T>
VITRO_INLINE i64 matmul_pack_turned(const T* from, i64 column_stride, i64 k, i64 count, T* to) {
  i64 i = 0;
  for (; i + 16 <= k; i += 16) {
    Vec<T> v[16];
#pragma clang loop unroll(full)
    for (i64 c = 0; c < 16; ++c) v[c] = c < count ? load(from + c * column_stride + i) : Vec<T>{};
    transpose(v);
#pragma clang loop unroll(full)
    for (i64 r = 0; r < 16; ++r) store_or_stream(past, to + (i + r) * columns, v[r]);
  }
  return i;
}

// Packs panel `p` into `to`, whose rows have `columns` elements.
template <i64 columns, bool past, class T>
[[gnu::noinline]] static void matmul_pack_panel(const T* b, i64 row_stride, i64 column_stride,
                                                i64 k, i64 width, T* to) {
  if (column_stride == 1) {
    for (i64 i = 0; i < k; ++i) {
#pragma clang loop unroll(disable)
      for (i64 j = 0; j < width; j += 16)
        store_or_stream(past, to + i * columns + j, load(b + i * row_stride + j, width - j));
    }
    return;
  }
  for (i64 j = 0; j < width; j += 16) {
    const T* from = b + j * column_stride;
    const i64 count = width - j;
    i64 i = 0;
    if constexpr (transposes_in_registers) {
      if (row_stride == 1)
        i = matmul_pack_turned<columns, past>(from, column_stride, k, count, to + j);
    }
    for (; i < k; ++i)
      store(to + i * columns + j, load_strided(from + i * row_stride, column_stride, count));
  }
}

// Packs panels [begin, end) of B, with zeros for columns past n up to the next multiple of 16.
// Element (tap * k + i, j) is at b[tap * tap_stride + i * row_stride + j * column_stride].
template <class Acc, class T>
VITRO_INLINE void matmul_pack_taps(const T* b, i64 taps, i64 tap_stride, i64 row_stride,
                                   i64 column_stride, i64 k, i64 n, T* packed, i64 begin, i64 end) {
  constexpr i64 columns = MatmulPanel<Acc>::columns, second_cache = 1 << 20;
  const bool past = __is_same(T, f32) &&  // for less code
                    taps * k * n * i64(sizeof(T)) > 2 * second_cache && (u64)packed % 64 == 0;
  for (i64 p = begin; p < end; ++p) {
    const i64 first = p * columns, width = smaller(columns, n - first);
    for (i64 tap = 0; tap < taps; ++tap) {
      const T* from = b + tap * tap_stride + first * column_stride;
      T* to = packed + (first * taps + tap * columns) * k;
      if (past) {
        matmul_pack_panel<columns, true>(from, row_stride, column_stride, k, width, to);
      } else {
        matmul_pack_panel<columns, false>(from, row_stride, column_stride, k, width, to);
      }
    }
  }
  end_streams(past);
}
template <class Acc, class T>
VITRO_INLINE void matmul_pack(const T* b, i64 row_stride, i64 column_stride, i64 k, i64 n,
                              T* packed, i64 begin, i64 end) {
  matmul_pack_taps<Acc>(b, 1, 0, row_stride, column_stride, k, n, packed, begin, end);
}

// The sums of a tile, in registers.
template <int rows, int vectors, class Acc>
struct MatmulSums {
  Vec<Acc> sum[rows][vectors] = {};

  [[gnu::always_inline]] void read(const Acc* c, i64 stride) {
#pragma clang loop unroll(full)
    for (int i = 0; i < rows; ++i) {
#pragma clang loop unroll(full)
      for (int j = 0; j < vectors; ++j) sum[i][j] = load(c + i * stride + j * 16);
    }
  }
  // Adds the products of one column of A, whose elements are `a_stride` apart, and one row of B.
  [[gnu::always_inline]] void add(const Acc* a, i64 a_stride, const Vec<Acc> (&right)[vectors]) {
#pragma clang loop unroll(full)
    for (int i = 0; i < rows; ++i) {
      Vec<Acc> left = splat(a[i * a_stride]);
#pragma clang loop unroll(full)
      for (int j = 0; j < vectors; ++j) sum[i][j] = fma(left, right[j], sum[i][j]);
    }
  }
  [[gnu::always_inline]] void write(Acc* c, i64 stride) const {
#pragma clang loop unroll(full)
    for (int i = 0; i < rows; ++i) {
#pragma clang loop unroll(full)
      for (int j = 0; j < vectors; ++j) store(c + i * stride + j * 16, sum[i][j]);
    }
  }
};

// Prefetches that a tile issues while it accumulates, once per `every` columns of A: parts of B
// from `right` on, parts of A from `left` on. An address need not exist.
struct MatmulAhead {
  const char *right, *left;
  i64 left_stride, every;
  i64 right_step, left_step;  // from tile to tile
};
inline constexpr i64 matmul_right_asked = 256, matmul_left_asked = 128;

// Prefetches `bytes` from the start of a cache line on into the L2 cache.
template <i64 bytes>
VITRO_INLINE void matmul_ask(const char* from) {
#pragma clang loop unroll(full)
  for (i64 i = 0; i < bytes; i += 64) __builtin_prefetch(from + i, 0, 2);
}

// Tiles below one another: c[tiles * rows][16 * vectors] (+)= a * b. Element (i, p) of A is at a[i
// * a_stride + p], or at a[p * a_stride + i] if not row_major.
template <int rows, int vectors, bool row_major, class Acc, class T>
[[gnu::noinline]] static void matmul_tiles(const Acc* a, i64 a_stride, const T* b, i64 b_stride,
                                           i64 k, Acc* c, i64 c_stride, bool add, i64 tiles,
                                           const MatmulAhead& ahead) {
  const char *right_of_tile = ahead.right, *left_of_tile = ahead.left;
  for (; tiles > 0; --tiles) {
    MatmulSums<rows, vectors, Acc> sums;
    if (add) sums.read(c, c_stride);
    const Acc* a_column = a;
    const T* b_row = b;
    const char *right_ahead = right_of_tile, *left_ahead = left_of_tile;
    for (i64 left = k; left > 0;) {
      matmul_ask<matmul_right_asked>(right_ahead);
      matmul_ask<matmul_left_asked>(left_ahead);
      right_ahead += matmul_right_asked, left_ahead += ahead.left_stride;
      i64 count = smaller(left, ahead.every);
      left -= count;
#pragma clang loop unroll(disable)
      for (; count > 0; --count) {
        Vec<Acc> right[vectors];
#pragma clang loop unroll(full)
        for (int j = 0; j < vectors; ++j) right[j] = load_as<Acc>(b_row + j * 16);
        sums.add(a_column, row_major ? a_stride : 1, right);
        b_row += b_stride, a_column += row_major ? 1 : a_stride;
      }
    }
    sums.write(c, c_stride);
    a += row_major ? rows * a_stride : rows, c += rows * c_stride;
    right_of_tile += ahead.right_step, left_of_tile += ahead.left_step;
  }
}

template <class Acc, class T>
using MatmulTiles = void (*)(const Acc*, i64, const T*, i64, i64, Acc*, i64, bool, i64,
                             const MatmulAhead&);

// For tiles of 1 to MatmulPanel<Acc>::rows rows and 1 to MatmulPanel<Acc>::vectors vectors.
template <bool row_major, class Acc, class T, int... i>
VITRO_INLINE MatmulTiles<Acc, T> matmul_tiles_of(i64 rows, i64 vectors, LaneList<int, i...>) {
  constexpr int most = MatmulPanel<Acc>::vectors;
  static constexpr MatmulTiles<Acc, T> tiles[] = {
      matmul_tiles<i / most + 1, i % most + 1, row_major, Acc, T>...};
  return tiles[(rows - 1) * most + vectors - 1];
}
template <bool row_major, class Acc, class T>
VITRO_INLINE MatmulTiles<Acc, T> matmul_tiles_of(i64 rows, i64 vectors) {
  constexpr int count = MatmulPanel<Acc>::rows * MatmulPanel<Acc>::vectors;
  return matmul_tiles_of<row_major, Acc, T>(rows, vectors,
                                            __make_integer_seq<LaneList, int, count>{});
}

// Prefetches what follows the sums of some rows and columns of the call.
[[gnu::noinline]] static void matmul_prefetch_after(const ProductCall& call, i64 row, i64 rows,
                                                    i64 column, i64 columns) {
  for (i64 a = 0; a < call.ahead_count; ++a) {
    const ProductAhead& one = call.ahead[a];
    const char* from = (const char*)one.from + row * one.row_bytes + column * one.element_bytes;
    for (i64 r = 0; r < rows; ++r, from += one.row_bytes) {
#pragma clang loop unroll(disable)
      for (i64 i = 0; i < columns * one.element_bytes; i += 64) __builtin_prefetch(from + i, 1, 3);
    }
  }
}

// Where the sums of a call's rows from `row` on go: to C, or, if what follows them runs at once, to
// a few tiles that stay in the L1 cache.
template <class Acc>
class MatmulParts {
 public:
  [[gnu::always_inline]] MatmulParts(Acc* c, i64 stride, const ProductFinish* finish, i64 row)
      : all_finish_(finish), c_(c), c_stride_(stride), row_(row) {}

  // Of so many vectors of columns. `last`: the next tiles are the last ones that add to their sums;
  // `first`: also the first ones.
  [[gnu::always_inline]] void start(bool first, bool last, i64 vectors) {
    finish_ = last ? all_finish_ : nullptr;
    own_ = finish_ && first;
    vectors_ = vectors;
  }
  [[gnu::always_inline]] Acc* at(i64 row, i64 column) {
    return own_ ? tiles_ : c_ + row * c_stride_ + column;
  }
  [[gnu::always_inline]] i64 stride() const { return own_ ? 16 * vectors_ : c_stride_; }
  // How many of the tiles that are left, of at most `rows` rows, come before finish().
  [[gnu::always_inline]] i64 tiles(i64 left, i64 rows) const {
    if (!finish_) return left;
    i64 some = 0;
    for (i64 count = 0; some < left && count < least; ++some) count += rows * vectors_;
    return some;
  }
  [[gnu::always_inline]] void finish(i64 row, i64 rows, i64 column, i64 columns) {
    if (!finish_) return;
    const ProductBlock part{finish_->row + row_ + row, rows, finish_->column + column, columns};
    finish_->run(finish_->what, part, at(row, column), stride());
  }

 private:
  using Panel = MatmulPanel<Acc>;
  // Enough vectors that a call of what follows costs little beside them.
  static constexpr i64 least = 24, most = 2 * least;
  static_assert(Panel::rows * Panel::vectors <= least);

  const ProductFinish *const all_finish_, *finish_ = nullptr;
  Acc* const c_;
  const i64 c_stride_, row_;
  i64 vectors_ = 0;
  bool own_ = false;
  alignas(64) Acc tiles_[most * 16];
};

// Copies rows of A, one after another, to `to`.
template <class Acc, class A>
[[gnu::noinline]] static void matmul_copy_left(const A* a, i64 row_stride, i64 k_stride, i64 rows,
                                               i64 k, Acc* to, i64 to_stride) {
  for (i64 i = 0; i < rows; ++i) {
#pragma clang loop unroll(disable)
    for (i64 p = 0; p < k; p += 16) {
      const A* from = a + i * row_stride + p * k_stride;
      const i64 count = k - p;
      store(to + i * to_stride + p, k_stride == 1
                                        ? load_as<Acc>(from, count)
                                        : convert<Acc>(load_strided(from, k_stride, count)));
    }
  }
}

// Copies the last columns of a plain matrix into a panel.
template <i64 columns, class T>
[[gnu::noinline]] static void matmul_copy_right(const T* b, i64 stride, i64 k, i64 count, T* to) {
  for (i64 p = 0; p < k; ++p) {
#pragma clang loop unroll(disable)
    for (i64 j = 0; j < columns; j += 16)
      store(to + p * columns + j, load(b + p * stride + j, count - j));
  }
}

// At most product_rows rows of a call, from `row` on: blocks of the panels of B, `depth` rows each,
// times all of A. A copy of the call would wait for the stores of its fields.
template <class Acc, class A, class T>
class MatmulRun {
 public:
  [[gnu::always_inline]] MatmulRun(const ProductCall& call, i64 row)
      : call_(call),
        row_(row),
        a_((const A*)call.a + row * call.a_row_stride),
        b_((const T*)call.b),
        parts_((Acc*)call.c + row * call.c_row_stride, call.c_row_stride, call.finish, row),
        rows_(smaller(product_rows, call.rows - row)),
        tiles_(divide_up(rows_, Panel::rows)),
        panels_(divide_up(call.columns, columns)),
        ragged_(call.b_panel_stride == columns && call.columns % 16 != 0),
        copies_(!__is_same(A, Acc) || (call.a_k_stride != 1 && call.a_row_stride != 1)),
        row_major_(copies_ || call.a_k_stride == 1) {}

  [[gnu::always_inline]] void run() {
    const i64 most = ragged_ || copies_ ? smaller(copied_depth, depth) : depth,
              each = call_.k > most ? divide_up(call_.k, divide_up(call_.k, most)) : call_.k;
    i64 k0 = 0;
    do {
      const i64 count = smaller(each, call_.k - k0);
      copy(k0, count);
      for (i64 panel = 0; panel < panels_; ++panel) multiply(panel, k0, count);
      k0 += count;
    } while (k0 < call_.k);
  }

 private:
  using Panel = MatmulPanel<Acc>;
  static constexpr i64 columns = Panel::columns, depth = matmul_depth<Acc>, copied_depth = 256,
                       left_stride = copied_depth + 16;

  // Copies operands that cannot be read in place: A of another type or without a stride of 1, and
  // the last columns of a plain B.
  [[gnu::always_inline]] void copy(i64 k0, i64 count) {
    if (copies_) {
      matmul_copy_left(a_ + k0 * call_.a_k_stride, call_.a_row_stride, call_.a_k_stride, rows_,
                       count, left_, left_stride);
    }
    if (ragged_) {
      const i64 last = call_.columns / columns * columns;
      matmul_copy_right<columns>(b_ + last + k0 * call_.b_row_stride, call_.b_row_stride, count,
                                 call_.columns - last, right_);
    }
  }

  // The address of a tile of A; stride() is its row stride (column stride if not row_major).
  [[gnu::always_inline]] const Acc* left(i64 row, i64 k0) const {
    if (copies_) return left_ + row * left_stride;
    return (const Acc*)(a_ + row * call_.a_row_stride + k0 * call_.a_k_stride);
  }
  [[gnu::always_inline]] i64 stride() const {
    return copies_ ? left_stride : row_major_ ? call_.a_row_stride : call_.a_k_stride;
  }

  // Prefetches that the tiles of a panel share: the next panel, and one part per panel of the rows
  // of A below this call's.
  [[gnu::always_inline]] MatmulAhead ahead(i64 panel, i64 k0, i64 count, i64 asked) const {
    const bool same_rows = panel + 1 < panels_ || k0 + count == call_.k;
    const T* right = same_rows ? b_ + (panel + 1) * call_.b_panel_stride + k0 * call_.b_row_stride
                               : b_ + (k0 + count) * call_.b_row_stride;
    const i64 each = rows_ * count * i64(sizeof(A)) / (panels_ * tiles_ * asked);
    const char* below = (const char*)(a_ + rows_ * (call_.a_row_stride + k0));
    return {(const char*)right,
            below + panel * tiles_ * asked * each,
            each,
            count > asked ? count / asked : 1,
            asked * matmul_right_asked,
            asked * each};
  }

  // Runs all tiles of a panel.
  [[gnu::always_inline]] void multiply(i64 panel, i64 k0, i64 count) {
    const i64 column = panel * columns, wide = call_.columns - column,
              vectors = smaller(divide_up(wide, 16), Panel::vectors), low = rows_ / tiles_,
              higher = rows_ % tiles_, bytes = count * columns * i64(sizeof(T)),
              asked = bytes > 0 ? divide_up(bytes, tiles_ * matmul_right_asked) : 1;
    const bool copied = ragged_ && columns > wide;
    const T* b = copied ? right_ : b_ + panel * call_.b_panel_stride + k0 * call_.b_row_stride;
    const i64 b_stride = copied ? columns : call_.b_row_stride;
    MatmulAhead next = ahead(panel, k0, count, asked);
    parts_.start(k0 == 0 && !call_.add, k0 + count == call_.k, vectors);
    const auto run = [&](i64 rows, i64 row, i64 tiles) __attribute__((always_inline)) {
      while (tiles > 0) {
        const i64 some = parts_.tiles(tiles, rows);
        if (call_.ahead_count > 0 && k0 + count == call_.k)
          matmul_prefetch_after(call_, row_ + row, some * rows, column, smaller(columns, wide));
        tiles_of(rows, vectors)(left(row, k0), stride(), b, b_stride, count, parts_.at(row, column),
                                parts_.stride(), call_.add || k0 > 0, some, next);
        parts_.finish(row, some * rows, column, smaller(columns, wide));
        next.right += some * next.right_step, next.left += some * next.left_step;
        row += some * rows, tiles -= some;
      }
    };
    run(low + 1, 0, higher);
    run(low, higher * (low + 1), tiles_ - higher);
  }

  [[gnu::always_inline]] MatmulTiles<Acc, T> tiles_of(i64 rows, i64 vectors) const {
    return row_major_ ? matmul_tiles_of<true, Acc, T>(rows, vectors)
                      : matmul_tiles_of<false, Acc, T>(rows, vectors);
  }

  const ProductCall& call_;
  const i64 row_;
  const A* a_;
  const T* b_;
  MatmulParts<Acc> parts_;
  const i64 rows_, tiles_, panels_;
  const bool ragged_, copies_, row_major_;
  alignas(64) Acc left_[product_rows * left_stride];
  alignas(64) T right_[copied_depth * columns];
};

// The call with sums of type Acc, A of type A, B of type T.
template <class Acc, class A, class T>
[[gnu::noinline]] static void matmul_multiply(const ProductCall& call) {
  for (i64 row = 0; row < call.rows; row += product_rows) MatmulRun<Acc, A, T>(call, row).run();
}

}  // namespace vitro::kernels::inline VITRO_ISA
