// C[m, n] = A[m, k] * B[k, n] by register tiles: B packed into panels, A's elements broadcast,
// products added along k in ascending order into one accumulator per element with fma, so that
// every tile shape, task split and machine gives the same bits.
//
//   using Panel = MatmulPanel<f32>;                                   // what the accumulators are:
//   f32 or f64 for (i64 p = 0; p < panel_count<f32>(n); ++p) matmul_pack<f32>(b, ldb, 1, k, n,
//   packed, p);      // once, for a weight MatmulTasks tasks = matmul_tasks<f32>(m, n, k, threads);
//   // the caller hands out tasks 0 .. tasks.count - 1 matmul_task<f32>(tasks, task,
//   RowMajor<f32>{a, lda}, packed, [&](i64 row, i64 column, i64 count, Vec<f32> sum) {
//     store(c + row * ldc + column, maximum(sum + load(bias + column, count), splat(0.0f)), count);
//     // the epilogue: anything
//   });
//
// A is RowMajor<T>{a, row_stride}, ColumnMajor<T>{a, k_stride}, or a callable Vec<Acc>(i64 row, i64
// k, i64 count) that gives 16 elements of a row (the first `count` matter): the prologue.  It is
// called once per element, row tile and task. B is packed as T = Acc, f16 or bf16.  The epilogue is
// called once for every 16 columns of a row, after the last k, rows of a tile in ascending order;
// count < 16 only at the right edge.  Nothing outside A, the panels and the epilogue is touched.
// Needs 70 KB of stack.
#pragma once
#include "kernels/convert.h"
#include "kernels/transpose.h"

namespace vitro::kernels::inline VITRO_ISA {

// The register tile: `rows` by `columns` accumulators.
template <class Acc>
struct MatmulPanel {
#if defined(__AVX512F__)
  static constexpr int rows = sizeof(Acc) == 4 ? 12 : 6, vectors = 2;
#elif defined(__AVX2__)
  static constexpr int rows = sizeof(Acc) == 4 ? 6 : 2, vectors = 1;
#else
  static constexpr int rows = 2, vectors = 1;
#endif
  static constexpr i64 columns = vectors * 16;
};

template <class Acc>
VITRO_INLINE i64 panel_count(i64 n) {
  return (n + MatmulPanel<Acc>::columns - 1) / MatmulPanel<Acc>::columns;
}
// Elements of the packed B.
template <class Acc>
VITRO_INLINE i64 packed_size(i64 k, i64 n) {
  return panel_count<Acc>(n) * MatmulPanel<Acc>::columns * k;
}

template <class T>
struct RowMajor {
  const T* data;
  i64 row_stride;
};
template <class T>
struct ColumnMajor {
  const T* data;
  i64 k_stride;
};

VITRO_INLINE i64 smaller(i64 a, i64 b) {
  return a < b ? a : b;
}

inline constexpr i64 matmul_k_block =
    1024;  // products that are added before the next rows are read

// How the work is cut: row tiles of nearly equal height, and groups of neighbouring panels.  Any
// cut gives the same bits.
struct MatmulTasks {
  i64 m, n, k;
  i64 row_tiles, tiles_per_task, panels, panels_per_task;
  i64 row_tasks, count;
};

template <class Acc>
[[gnu::noinline]] static MatmulTasks matmul_tasks(i64 m, i64 n, i64 k, i64 threads) {
  constexpr i64 height = MatmulPanel<Acc>::rows, group_bytes = 512 * 1024;
  MatmulTasks t{m, n, k, (m + height - 1) / height, 0, panel_count<Acc>(n), 0, 0, 0};
  i64 panel_bytes =
      (k < matmul_k_block ? k + 1 : matmul_k_block) * MatmulPanel<Acc>::columns * i64(sizeof(Acc));
  t.panels_per_task = panel_bytes * 4 <= group_bytes ? 4 : panel_bytes * 2 <= group_bytes ? 2 : 1;
  t.tiles_per_task = t.row_tiles < 32 ? t.row_tiles : 32;
  i64 wanted = threads > 1 ? 4 * threads : 1;
  auto count = [&] {
    t.row_tasks = t.row_tiles ? (t.row_tiles + t.tiles_per_task - 1) / t.tiles_per_task : 0;
    t.count = t.row_tasks * ((t.panels + t.panels_per_task - 1) / t.panels_per_task);
    return t.count;
  };
  while (count() < wanted && t.panels_per_task > 1) t.panels_per_task /= 2;
  while (count() < wanted && t.tiles_per_task > 4) t.tiles_per_task = (t.tiles_per_task + 1) / 2;
  return t;
}

// `count` columns of B, contiguous along k, to 16 columns of a panel: blocks of 16 by 16 are turned
// over.  Gives how many rows are done: all whole blocks.
template <i64 columns, class T, class S>
VITRO_INLINE i64 matmul_pack_turned(const S* from, i64 column_stride, i64 k, i64 count, T* to) {
  i64 i = 0;
  for (; i + 16 <= k; i += 16) {
    Vec<S> v[16];
#pragma clang loop unroll(full)
    for (i64 c = 0; c < 16; ++c) v[c] = c < count ? load(from + c * column_stride + i) : Vec<S>{};
    transpose(v);
#pragma clang loop unroll(full)
    for (i64 r = 0; r < 16; ++r) store_as(to + (i + r) * columns, v[r]);
  }
  return i;
}

// Copies panel `p` of B (element (i, j) at b[i * row_stride + j * column_stride]), columns past n
// as zeros.
template <class Acc, class T, class S>
VITRO_INLINE void matmul_pack(const S* b, i64 row_stride, i64 column_stride, i64 k, i64 n,
                              T* packed, i64 p) {
  if constexpr (is_half<T> && __is_same(T, S)) {
    return matmul_pack<Acc>((const i16*)b, row_stride, column_stride, k, n, (i16*)packed, p);
  }
  constexpr i64 columns = MatmulPanel<Acc>::columns;
  i64 first = p * columns, width = smaller(columns, n - first);
  T* to = packed + first * k;
  for (i64 j = 0; j < columns; j += 16) {
    const S* from = b + (first + j) * column_stride;
    i64 count = width - j, i = 0;
    if constexpr (!is_half<S>) {
      if (row_stride == 1 && column_stride != 1 && count > 0)
        i = matmul_pack_turned<columns>(from, column_stride, k, count, to + j);
    }
    for (; i < k; ++i) {
      if (column_stride == 1) {
        store_as(to + i * columns + j, load(from + i * row_stride, count));
      } else {
        store_as(to + i * columns + j, load_strided(from + i * row_stride, column_stride, count));
      }
    }
  }
}

// c[rows][columns] (+)= a * panel; element (i, p) of A stands at a[i * row_stride + p * k_stride],
// one of which is 1.
template <int rows, bool row_major, class Acc, class T>
[[gnu::noinline]] static void matmul_tile(const Acc* a, i64 stride, const T* panel, i64 k, Acc* c,
                                          i64 c_stride, bool first) {
  constexpr int vectors = MatmulPanel<Acc>::vectors;
  Vec<Acc> sum[rows][vectors] = {};
  if (!first) {
#pragma clang loop unroll(full)
    for (int i = 0; i < rows; ++i) {
#pragma clang loop unroll(full)
      for (int j = 0; j < vectors; ++j) sum[i][j] = load(c + i * c_stride + j * 16);
    }
  }
#pragma clang loop unroll(disable)
  for (; k > 0; --k) {
    Vec<Acc> b[vectors];
#pragma clang loop unroll(full)
    for (int j = 0; j < vectors; ++j) b[j] = load_as<Acc>(panel + j * 16);
#pragma clang loop unroll(full)
    for (int i = 0; i < rows; ++i) {
      Vec<Acc> x = splat(row_major ? a[i * stride] : a[i]);
#pragma clang loop unroll(full)
      for (int j = 0; j < vectors; ++j) sum[i][j] = fma(x, b[j], sum[i][j]);
    }
    panel += vectors * 16, a += row_major ? 1 : stride;
  }
#pragma clang loop unroll(full)
  for (int i = 0; i < rows; ++i) {
#pragma clang loop unroll(full)
    for (int j = 0; j < vectors; ++j) store(c + i * c_stride + j * 16, sum[i][j]);
  }
}

// Which tile heights exist.  `m` known: the two that an even cut needs.  any_rows: all (compiled
// ahead).  few_rows: powers of two and the full height, small to compile.
inline constexpr i64 few_rows = 0, any_rows = -1;

template <int rows, bool row_major, class Acc, class T>
VITRO_INLINE void matmul_any_rows(i64 wanted, const Acc* a, i64 stride, const T* panel, i64 k,
                                  Acc* c, i64 c_stride, bool first) {
  if constexpr (rows > 1) {
    if (wanted != rows)
      return matmul_any_rows<rows - 1, row_major>(wanted, a, stride, panel, k, c, c_stride, first);
  }
  matmul_tile<rows, row_major>(a, stride, panel, k, c, c_stride, first);
}

template <int step, bool row_major, class Acc, class T>
VITRO_INLINE void matmul_few_rows(i64 rows, const Acc* a, i64 stride, const T* panel, i64 k, Acc* c,
                                  i64 c_stride, bool first) {
  if (rows >= step) {
    matmul_tile<step, row_major>(a, stride, panel, k, c, c_stride, first);
    rows -= step, a += step * (row_major ? stride : 1), c += step * c_stride;
  }
  constexpr int next = step > 8 ? 8 : step > 4 ? 4 : step / 2;
  if constexpr (next > 0)
    matmul_few_rows<next, row_major>(rows, a, stride, panel, k, c, c_stride, first);
}

template <i64 m, bool row_major, class Acc, class T>
VITRO_INLINE void matmul_rows(i64 rows, const Acc* a, i64 stride, const T* panel, i64 k, Acc* c,
                              i64 c_stride, bool first) {
  constexpr int full = MatmulPanel<Acc>::rows;
  if constexpr (m > 0) {
    constexpr i64 tiles = (m + full - 1) / full;
    constexpr int high = (m + tiles - 1) / tiles, low = m / tiles;
    if (high == low || rows == high)
      return matmul_tile<high, row_major>(a, stride, panel, k, c, c_stride, first);
    matmul_tile<low, row_major>(a, stride, panel, k, c, c_stride, first);
  } else if constexpr (m == any_rows) {
    matmul_any_rows<full, row_major>(rows, a, stride, panel, k, c, c_stride, first);
  } else {
    matmul_few_rows<full, row_major>(rows, a, stride, panel, k, c, c_stride, first);
  }
}

template <class A>
struct MatmulSource {
  using element = void;  // a callable
  static constexpr bool row_major = true;
};
template <class T>
struct MatmulSource<RowMajor<T>> {
  using element = T;
  static constexpr bool row_major = true;
};
template <class T>
struct MatmulSource<ColumnMajor<T>> {
  using element = T;
  static constexpr bool row_major = false;
};

template <class T>
VITRO_INLINE i64 matmul_stride(const RowMajor<T>& a) {
  return a.row_stride;
}
template <class T>
VITRO_INLINE i64 matmul_stride(const ColumnMajor<T>& a) {
  return a.k_stride;
}

template <class Acc>
struct MatmulScratch {
  static constexpr i64 stride = matmul_k_block + 16;
  alignas(64) Acc a[MatmulPanel<Acc>::rows * stride];
};

// `rows` rows of A from k0, `count` long, into scratch.
template <class Acc, class A>
[[gnu::noinline]] static void matmul_fill(const A& a, i64 row, i64 rows, i64 k0, i64 count,
                                          MatmulScratch<Acc>& scratch) {
  for (i64 i = 0; i < rows; ++i) {
    i64 done = 0;
    if constexpr (__is_same(A, RowMajor<Acc>)) {
      const Acc* from = a.data + (row + i) * a.row_stride + k0;
      for (; done + 16 <= count; done += 16)
        store(scratch.a + i * scratch.stride + done, load(from + done));
    }
#pragma clang loop unroll(disable)
    for (i64 p = done; p < count; p += 16) {
      Acc* to = scratch.a + i * scratch.stride + p;
      if constexpr (__is_same(typename MatmulSource<A>::element, void)) {
        store(to, a(row + i, k0 + p, count - p));
      } else if constexpr (MatmulSource<A>::row_major) {
        store(to, load_as<Acc>(a.data + (row + i) * a.row_stride + k0 + p, count - p));
      } else {
        store(to, convert<Acc>(load_strided(a.data + (k0 + p) * a.k_stride + row + i, a.k_stride,
                                            count - p)));
      }
    }
  }
}

// Row tile number `tile`: its first row and its height.
struct MatmulRows {
  i64 row, rows;
};
template <class Acc, i64 known_m>
[[gnu::noinline]] static MatmulRows matmul_row_tile(const MatmulTasks& t, i64 tile) {
  constexpr i64 height = MatmulPanel<Acc>::rows;
  if constexpr (known_m == few_rows) return {tile * height, smaller(height, t.m - tile * height)};
  i64 low = t.m / t.row_tiles, high_tiles = t.m % t.row_tiles;
  return {tile * low + smaller(tile, high_tiles), low + (tile < high_tiles)};
}

template <class Acc>
VITRO_INLINE constexpr i64 matmul_width() {
  return 4 * MatmulPanel<Acc>::columns;  // a task's columns at most
}
inline constexpr i64 matmul_tiles_at_once = 8;

// Rows tile0 to tile1 by panels p0 to p1, all of k: into `sums`, whose first row is that of tile0.
template <class Acc, i64 known_m, class A, class T>
[[gnu::noinline]] static void matmul_block(const MatmulTasks& t, const A& a, const T* packed,
                                           i64 tile0, i64 tile1, i64 p0, i64 p1,
                                           MatmulScratch<Acc>& scratch, Acc* sums) {
  using Source = MatmulSource<A>;
  constexpr i64 columns = MatmulPanel<Acc>::columns, width = matmul_width<Acc>();
  constexpr bool in_place = __is_same(typename Source::element, Acc),
                 row_major = Source::row_major || !in_place;
  i64 blocks = (t.k + matmul_k_block - 1) / matmul_k_block,
      block = blocks ? (t.k + blocks - 1) / blocks : 0;
  bool copies = true;
  const Acc* from = scratch.a;
  i64 stride = scratch.stride, row0 = matmul_row_tile<Acc, known_m>(t, tile0).row, k0 = 0;
  if constexpr (in_place) {
    stride = matmul_stride(a);
    // Rows whose starts fall on few cache sets would push each other out: they are copied first.
    copies = row_major && t.m > 4 && stride * i64(sizeof(Acc)) % 4096 == 0;
    if (copies) stride = scratch.stride;
  }
  do {
    i64 count = smaller(block, t.k - k0);
    for (i64 tile = tile0; tile < tile1; ++tile) {
      MatmulRows at = matmul_row_tile<Acc, known_m>(t, tile);
      if (copies) {
        matmul_fill(a, at.row, at.rows, k0, count, scratch);
      } else if constexpr (in_place) {
        from = a.data + (row_major ? at.row * stride + k0 : k0 * stride + at.row);
      }
      for (i64 p = p0; p < p1; ++p) {
        matmul_rows<known_m, row_major>(at.rows, from, stride, packed + (p * t.k + k0) * columns,
                                        count, sums + (at.row - row0) * width + (p - p0) * columns,
                                        width, k0 == 0);
      }
    }
    k0 += count;
  } while (k0 < t.k);
}

// Task `task` of `t`.  `known_m`: m where it is known when this is compiled, else few_rows or
// any_rows.
template <class Acc, i64 known_m = few_rows, class A, class T, class Store>
VITRO_INLINE void matmul_task(const MatmulTasks& t, i64 task, const A& a, const T* packed,
                              const Store& epilogue) {
  constexpr i64 columns = MatmulPanel<Acc>::columns, width = matmul_width<Acc>();
  MatmulScratch<Acc> scratch;
  alignas(64) Acc sums[matmul_tiles_at_once * MatmulPanel<Acc>::rows * width];
  i64 p0 = task / t.row_tasks * t.panels_per_task, p1 = smaller(p0 + t.panels_per_task, t.panels);
  i64 first = task % t.row_tasks * t.tiles_per_task,
      last = smaller(first + t.tiles_per_task, t.row_tiles);
  i64 step = t.k > matmul_k_block ? matmul_tiles_at_once : 1, end = smaller(t.n, p1 * columns);
  for (i64 tile = first; tile < last; tile += step) {
    i64 next = smaller(tile + step, last), row0 = matmul_row_tile<Acc, known_m>(t, tile).row;
    matmul_block<Acc, known_m>(t, a, packed, tile, next, p0, p1, scratch, sums);
    MatmulRows bottom = matmul_row_tile<Acc, known_m>(t, next - 1);
#pragma clang loop unroll(disable)
    for (i64 row = row0; row < bottom.row + bottom.rows; ++row) {
#pragma clang loop unroll(disable)
      for (i64 j = p0 * columns; j < end; j += 16) {
        epilogue(row, j, smaller(16, end - j),
                 load(sums + (row - row0) * width + j - p0 * columns));
      }
    }
  }
}

}  // namespace vitro::kernels::inline VITRO_ISA
