// The products of product.h with B read in place, its rows contiguous. The first tile of a block
// reads B in place and stores it as panels on the way; the tiles below read the panels. The rows of
// B are too far apart for the hardware prefetcher, so every tile prefetches some rows of the next
// block.
//
//   matmul_multiply_plain<f32>(call, b + then);       // `then`: the first column of the next block
//
// A may be the transpose of windows (matmul_positions.h): some columns of it at a time are copied
// first, in an order in which they are read, and sums are brought into the order of rows at the
// end.
//
// Not part of the prelude: compiled ahead only (matmul_table.kernel.cpp).
#pragma once
#include "kernels/matmul.h"
#include "kernels/matmul_positions.h"

namespace vitro::kernels::inline VITRO_ISA {

// High blocks of few columns: each reads B once. If sums are transposed, or for a single column,
// sixteen rows are finished together.
template <class Acc, bool turned = false>
[[gnu::noinline]] static ProductCut matmul_cut_plain(i64 m, i64 n, i64, i64 threads) {
  const i64 unit = turned || n == 1 ? 16 : 1, wanted = threads > 1 ? 4 * threads : 1,
            most = divide_up(m, unit > 1 ? unit : MatmulPanel<Acc>::rows);
  ProductCut cut{m, n, unit, divide_up(m, product_plain_rows), product_plain_columns<Acc>, 0};
  const auto count = [&] { return cut.count = cut.row_blocks * divide_up(n, cut.columns); };
  while (count() < wanted && cut.row_blocks < most) {
    cut.row_blocks = smaller(2 * cut.row_blocks, most);
  }
  return cut;
}

// Prefetches a block's columns of one row, at any alignment to cache lines.
VITRO_INLINE void matmul_ask_row(const char* row) {
  constexpr i64 line = 64, bytes = product_plain_columns<char>;
#pragma clang loop unroll(full)
  for (i64 i = 0; i < bytes; i += line) __builtin_prefetch(row + i);
  __builtin_prefetch(row + bytes - 1);
}

// What a tile prefetches while it accumulates, per `every` columns of A: a row of B, `stride` bytes
// after the last one, whose address need not exist; and if A is transposed, as it is for gradients
// of weights, which optimizers update, some lines of what follows the sums, `shift` bytes after the
// given ones. All at once would fill the queue of misses, and B would wait.
struct MatmulPlainAhead {
  const char* row;
  i64 stride, every;
  const char* const* after = nullptr;
  i64 lines = 0, shift = 0;

  [[gnu::always_inline]] void ask_row() {
    matmul_ask_row(row);
    row += stride;
  }
  [[gnu::always_inline]] void ask_lines() {
#pragma clang loop unroll(disable)
    for (i64 i = 0; i < lines; ++i) __builtin_prefetch(*after++ + shift, 1, 3);
  }
};

// Lists the lines of memory that follow the sums of the first rows and of some columns of a call,
// as far as its rows are equally far apart everywhere; returns their number.
[[gnu::noinline]] static i64 matmul_lines_after(const ProductCall& call, i64 rows, i64 column,
                                                i64 columns, const char** to, i64 most) {
  i64 count = 0;
  for (i64 a = 0; a < call.ahead_count; ++a) {
    const ProductAhead& one = call.ahead[a];
    if (one.row_bytes != call.ahead[0].row_bytes) continue;
    const char* from = (const char*)one.from + column * one.element_bytes;
    for (i64 r = 0; r < rows; ++r, from += one.row_bytes) {
      for (i64 i = 0; i < columns * one.element_bytes && count < most; i += 64)
        to[count++] = from + i;
    }
  }
  return count;
}

// c[rows][16 * vectors] (+)= a * b, as matmul_tiles; `keep`: also stores the rows of B in a panel.
template <int rows, int vectors, bool row_major, bool keep, class Acc>
[[gnu::noinline]] static void matmul_plain_tile(const Acc* a, i64 a_stride, const Acc* b,
                                                i64 b_stride, i64 k, Acc* c, i64 c_stride, bool add,
                                                Acc* kept, MatmulPlainAhead ahead) {
  MatmulSums<rows, vectors, Acc> sums;
  if (add) sums.read(c, c_stride);
  while (k > 0) {
    ahead.ask_row();
    if constexpr (!row_major) ahead.ask_lines();
    i64 count = smaller(k, ahead.every);
    k -= count;
#pragma clang loop unroll(disable)
    for (; count > 0; --count) {
      Vec<Acc> right[vectors];
#pragma clang loop unroll(full)
      for (int j = 0; j < vectors; ++j) right[j] = load(b + j * 16);
      if constexpr (keep) {
#pragma clang loop unroll(full)
        for (int j = 0; j < vectors; ++j) store(kept + j * 16, right[j]);
        kept += MatmulPanel<Acc>::columns;
      }
      sums.add(a, row_major ? a_stride : 1, right);
      if constexpr (!row_major) __builtin_prefetch(a + 2 * rows - 1);
      b += b_stride, a += row_major ? 1 : a_stride;
    }
  }
  sums.write(c, c_stride);
}

template <class Acc>
using MatmulPlainTile = void (*)(const Acc*, i64, const Acc*, i64, i64, Acc*, i64, bool, Acc*,
                                 MatmulPlainAhead);

// Null for tiles that there are not: rows are kept by the first of several tiles of nearly the same
// height, which is more than half of the most.
template <int rows, int vectors, bool row_major, bool keep, class Acc>
VITRO_INLINE constexpr MatmulPlainTile<Acc> matmul_plain_tile_if_any() {
  if constexpr (keep && 2 * rows <= MatmulPanel<Acc>::rows)
    return nullptr;
  else
    return matmul_plain_tile<rows, vectors, row_major, keep, Acc>;
}

template <bool row_major, bool keep, class Acc, int... i>
VITRO_INLINE MatmulPlainTile<Acc> matmul_plain_tile_of(i64 rows, i64 vectors, LaneList<int, i...>) {
  constexpr int most = MatmulPanel<Acc>::vectors;
  static constexpr MatmulPlainTile<Acc> tiles[] = {
      matmul_plain_tile_if_any<i / most + 1, i % most + 1, row_major, keep, Acc>()...};
  return tiles[(rows - 1) * most + vectors - 1];
}

// Adds the products of sixteen rows and columns of A and elements of a column of B to `sum`.
template <bool row_major, class Acc>
VITRO_INLINE Vec<Acc> matmul_column_tile(const Acc* a, i64 a_stride, const Acc* b, i64 b_stride,
                                         Vec<Acc> sum) {
  Vec<Acc> left[16];
#pragma clang loop unroll(full)
  for (int i = 0; i < 16; ++i) left[i] = load(a + i * a_stride);
  if constexpr (row_major) transpose(left);
#pragma clang loop unroll(full)
  for (int p = 0; p < 16; ++p) sum = fma(left[p], splat(b[p * b_stride]), sum);
  return sum;
}

#if defined(__AVX2__) && !defined(__AVX512F__)
typedef f32 Eight __attribute__((ext_vector_type(8)));

// Rows whose distance is a multiple of this (4 KiB) share an L1 cache set, which often has only
// eight ways: sixteen rows at a time evict each other.
inline constexpr i64 matmul_conflict_stride = 1024;

// Adds the products of eight rows and a column of B to `sum`; k is a multiple of 16.
VITRO_INLINE Eight matmul_eight_rows(const f32* a, i64 a_stride, const f32* b, i64 b_stride, i64 k,
                                     Eight sum) {
  for (i64 p = 0; p < k; p += 16) {
    Eight left[2][8];
#pragma clang loop unroll(full)
    for (int i = 0; i < 8; ++i) __builtin_memcpy(&left[0][i], a + i * a_stride + p, 32);
#pragma clang loop unroll(full)
    for (int i = 0; i < 8; ++i) __builtin_memcpy(&left[1][i], a + i * a_stride + p + 8, 32);
#pragma clang loop unroll(full)
    for (int half = 0; half < 2; ++half) {
      transpose(left[half]);
#pragma clang loop unroll(full)
      for (int i = 0; i < 8; ++i) {
        const Eight right = (Eight)(b[(p + 8 * half + i) * b_stride]);
        sum = __builtin_elementwise_fma(left[half][i], right, sum);
      }
    }
  }
  return sum;
}
#endif

// A times one column of B. Element (i, p) of A is at a[i * a_stride + p], or at a[p * a_stride + i]
// if not row_major.
template <bool row_major, class Acc>
[[gnu::noinline]] static void matmul_plain_column(const Acc* a, i64 a_stride, const Acc* b,
                                                  i64 b_stride, i64 rows, i64 k, Acc* c,
                                                  i64 c_stride, bool add) {
  const i64 row_stride = row_major ? a_stride : 1, k_stride = row_major ? 1 : a_stride;
  for (; rows > 0; rows -= 16, a += 16 * row_stride, c += 16 * c_stride) {
    Vec<Acc> sum = add ? load_strided(c, c_stride, rows) : Vec<Acc>{};
    i64 p = 0;
#if defined(__AVX2__) && !defined(__AVX512F__)
    if constexpr (row_major && __is_same(Acc, f32)) {
      if (rows >= 16 && a_stride % matmul_conflict_stride == 0) {
        p = k / 16 * 16;
        sum.lo = matmul_eight_rows(a, a_stride, b, b_stride, p, sum.lo);
        sum.hi = matmul_eight_rows(a + 8 * a_stride, a_stride, b, b_stride, p, sum.hi);
      }
    }
#endif
    for (; rows >= 16 && p + 16 <= k; p += 16)
      sum = matmul_column_tile<row_major>(a + p * k_stride, a_stride, b + p * b_stride, b_stride,
                                          sum);
    for (; p < k; ++p)
      sum = fma(load_strided(a + p * k_stride, row_stride, rows), splat(b[p * b_stride]), sum);
    store_strided(c, c_stride, sum, rows);
  }
}

// Copies `count` columns of A, whose elements are contiguous and `stride` apart from column to
// column, tile by tile: element i of column p of tile t is at to[t * tile_stride + p * width + i].
// Of `tiles` tiles, the first `higher` have low + 1 rows, the others `low`.
template <int most, i64 width, class Acc>
[[gnu::noinline]] static void matmul_copy_columns(const Acc* a, i64 stride, i64 count, i64 tiles,
                                                  i64 low, i64 higher, Acc* to, i64 tile_stride) {
  constexpr i64 ahead = 8;
  const i64 height = tiles * low + higher;
  for (i64 p = 0; p < count; ++p, a += stride, to += width) {
    const Acc* from = a;
    Acc* tile = to;
    for (i64 i = 0; i < height * i64(sizeof(Acc)); i += 64)
      __builtin_prefetch((const char*)(a + ahead * stride) + i);
    for (i64 t = 0; t + 1 < tiles; ++t) {
      __builtin_memcpy(tile, from, most * sizeof(Acc));
      from += low + (t < higher);
      tile += tile_stride;
    }
    for (i64 i = 0; i < low; ++i) tile[i] = from[i];  // not past the end of A
  }
}

// Rows of B that are kept at a time: their panels stay in the L2 cache.
template <class Acc>
inline constexpr i64 matmul_plain_depth = 1536 / sizeof(Acc);

// One call: blocks of B, `depth` rows by the columns of a block, one after another.
template <class Acc>
class MatmulPlainRun {
 public:
  [[gnu::always_inline]] MatmulPlainRun(const ProductCall& call, const void* then)
      : call_(call),
        a_((const Acc*)call.a),
        b_((const Acc*)call.b),
        then_((const Acc*)then),
        copies_(call.windows ||
                (call.a_k_stride * i64(sizeof(Acc)) > page && call.columns > Panel::columns &&
                 divide_up(call.rows, Panel::rows) <= most_tiles)),
        row_major_(!call.windows && call.a_k_stride == 1) {}

  [[gnu::always_inline]] void run() {
    if (call_.windows) positions_.find(call_);
    const i64 most = copies_ ? copied_depth : depth,
              blocks = call_.k > most ? divide_up(call_.k, most) : 1;
    each_ = divide_up(call_.k, blocks);
    for (i64 column = 0; column < call_.columns; column += columns) {
      for (i64 block = 0; block < blocks; ++block) {
        const i64 k0 = block * each_;
        multiply(column, k0, smaller(each_, call_.k - k0));
      }
      if (call_.windows) order(column);
    }
  }

 private:
  using Panel = MatmulPanel<Acc>;
  static constexpr i64 columns = product_plain_columns<Acc>, depth = matmul_plain_depth<Acc>,
                       left_width = Panel::rows > 4 ? 8 : Panel::rows,
                       most_tiles = (product_plain_rows + Panel::rows - 1) / Panel::rows,
                       page = 4096, most_after = 512, copied_depth = 512 / sizeof(Acc),
                       // an odd number of lines of a cache, so that tiles share no set
      most_left = copied_depth * left_width + 64 / i64(sizeof(Acc));
  static_assert(columns % Panel::columns == 0);
  // An odd number of half lines.
  static constexpr i64 positions_stride = product_plain_rows + 32 / i64(sizeof(Acc)),
                       of_positions = copied_depth * positions_stride + 16,
                       left_size = most_tiles * most_left > of_positions ? most_tiles *most_left
                                                                         : of_positions;

  // Brings the sums of a block's columns into the order of the rows.
  [[gnu::always_inline]] void order(i64 column) {
    static_assert(product_plain_rows * columns <= left_size);
    Acc* c = (Acc*)call_.c + column;
    const i64 wide = (smaller(columns, call_.columns - column) + 15) / 16 * 16;
    for (i64 i = 0; i < call_.rows; ++i) {
      for (i64 j = 0; j < wide; j += 16)
        store(left_ + i * columns + j, load(c + i * call_.c_row_stride + j));
    }
    for (i64 i = 0; i < call_.rows; ++i) {
      for (i64 j = 0; j < wide; j += 16)
        store(c + positions_.row(i) * call_.c_row_stride + j, load(left_ + i * columns + j));
    }
  }

  // The address of B to read after the block with this last row and column.
  [[gnu::always_inline]] const Acc* next(i64 column, i64 k_end) const {
    if (k_end < call_.k) return b_ + k_end * call_.b_row_stride + column;
    return column + columns < call_.columns ? b_ + column + columns : then_;
  }

  [[gnu::always_inline]] void multiply(i64 column, i64 k0, i64 count) {
    if (transposes_in_registers && call_.columns - column == 1 && !call_.windows)
      return multiply_column(column, k0, count);
    const i64 tiles = divide_up(call_.rows, Panel::rows), low = call_.rows / tiles,
              higher = call_.rows % tiles, wide = smaller(columns, call_.columns - column),
              asked = divide_up(each_, tiles * divide_up(wide, Panel::columns));
    // If each column of A is on pages of its own, no prefetcher finds the next one, and they share
    // few sets of the caches.
    if (call_.windows) {
      positions_.copy(k0, count, left_, positions_stride);
    } else if (copies_) {
      matmul_copy_columns<Panel::rows, left_width>(a_ + k0 * call_.a_k_stride, call_.a_k_stride,
                                                   count, tiles, low, higher, left_, most_left);
    }
    const i64 row_bytes = call_.b_row_stride * i64(sizeof(Acc));
    MatmulPlainAhead ahead{(const char*)next(column, k0 + count), row_bytes,
                           count > asked ? count / asked : 1};
    for (i64 first = 0; first < wide; first += Panel::columns) {
      const Acc* b = b_ + k0 * call_.b_row_stride + column + first;
      i64 stride = call_.b_row_stride;
      const i64 vectors = smaller(divide_up(wide - first, 16), Panel::vectors);
      bool keep = tiles > 1;
      if (16 * vectors > wide - first) {
        matmul_copy_right<Panel::columns>(b, stride, count, wide - first, kept_);
        b = kept_, stride = Panel::columns, keep = false;
      }
      const bool is_last = call_.ahead_count > 0 && k0 + count == call_.k;
      if (is_last && !row_major_)
        list_after(low + (higher > 0), column + first, smaller(Panel::columns, wide - first),
                   divide_up(count, ahead.every), ahead);
      for (i64 tile = 0, row = 0; tile < tiles; ++tile) {
        const i64 rows = low + (tile < higher), c = row * call_.c_row_stride + column + first;
        const Acc* a = call_.windows ? left_ + row
                       : copies_     ? left_ + tile * most_left
                                     : a_ + row * call_.a_row_stride + k0 * call_.a_k_stride;
        const i64 a_stride = call_.windows ? positions_stride
                             : copies_     ? left_width
                             : row_major_  ? call_.a_row_stride
                                           : call_.a_k_stride;
        if (ahead.lines > 0) ahead.shift = row * call_.ahead[0].row_bytes;
        if (is_last && row_major_)
          matmul_prefetch_after(call_, row, rows, column + first,
                                smaller(Panel::columns, wide - first));
        tile_of(rows, vectors, keep)(a, a_stride, b, stride, count, (Acc*)call_.c + c,
                                     call_.c_row_stride, call_.add || k0 > 0, kept_, ahead);
        if (keep) b = kept_, stride = Panel::columns, keep = false;
        ahead.row += asked * row_bytes;
        row += rows;
      }
    }
  }

  // Spreads what follows the sums of a tile over so many requests.
  [[gnu::always_inline]] void list_after(i64 rows, i64 column, i64 wide, i64 requests,
                                         MatmulPlainAhead& ahead) {
    i64 count = matmul_lines_after(call_, rows, column, wide, after_, most_after);
    if (count == 0) return;
    ahead.lines = smaller(divide_up(count, requests), most_after / requests);
    for (; count < ahead.lines * requests; ++count) after_[count] = after_[count - 1];
    ahead.after = after_;
  }

  [[gnu::always_inline]] void multiply_column(i64 column, i64 k0, i64 count) {
    const Acc *a = a_ + k0 * call_.a_k_stride, *b = b_ + k0 * call_.b_row_stride + column;
    (row_major_
         ? matmul_plain_column<true, Acc>
         : matmul_plain_column<false, Acc>)(a, row_major_ ? call_.a_row_stride : call_.a_k_stride,
                                            b, call_.b_row_stride, call_.rows, count,
                                            (Acc*)call_.c + column, call_.c_row_stride,
                                            call_.add || k0 > 0);
  }

  [[gnu::always_inline]] MatmulPlainTile<Acc> tile_of(i64 rows, i64 vectors, bool keep) const {
    constexpr __make_integer_seq<LaneList, int, Panel::rows * Panel::vectors> all{};
    if (row_major_) {
      return keep ? matmul_plain_tile_of<true, true, Acc>(rows, vectors, all)
                  : matmul_plain_tile_of<true, false, Acc>(rows, vectors, all);
    }
    return keep ? matmul_plain_tile_of<false, true, Acc>(rows, vectors, all)
                : matmul_plain_tile_of<false, false, Acc>(rows, vectors, all);
  }

  const ProductCall& call_;
  const Acc *a_, *b_, *then_;
  const bool copies_, row_major_;
  MatmulPositions<Acc> positions_;  // if A are windows
  i64 each_ = 0;
  const char* after_[most_after];
  alignas(64) Acc kept_[depth * Panel::columns];
  alignas(64) Acc left_[left_size];
};

// `then`: the address of B to read after this call.
template <class Acc>
[[gnu::noinline]] static void matmul_multiply_plain(const ProductCall& call, const void* then) {
  if (call.rows <= 0) return;
  MatmulPlainRun<Acc>(call, then).run();
}

}  // namespace vitro::kernels::inline VITRO_ISA
