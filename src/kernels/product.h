// Matrix products C[m, n] = A[m, k] * B[k, n] as generated kernels, eager and tests call them: the
// register tiles and the packing are compiled ahead (matmul.h, matmul_plain.h), what comes after
// the sums belongs to the caller.
//   const Product& f32s = products()[0];                    // for B packed as f32
//   const ProductCut cut = f32s.cut(m, n, k, threads);
//   for (long task = 0; task < cut.count; ++task) {         // in any order, on any threads
//     const ProductBlock at = cut.block(task);
//     alignas(64) float sums[product_sums<float>];
//     f32s.multiply({at.rows, at.columns, k, a + at.row * lda, lda, 1,
//                    panels + at.column * k, f32s.width, k * f32s.width,
//                    sums, product_columns<float>, false});
//     ...   // sums[r * product_columns<float> + c] is the sum of row at.row + r, column at.column
//     + c
//   }
// Products are added along k in ascending order into one accumulator per element with fma: every
// cut, tile and machine gives the same bits.  f16 and bf16 are added up in f32.
#pragma once

namespace vitro::kernels {

// A block of C that a task computes.
struct ProductBlock {
  long row, rows, column, columns;
};

// The blocks of a product.
struct ProductCut {
  long m, n, unit, row_blocks, columns, count;

  // Blocks of the same columns are consecutive; their heights are multiples of `unit`, except the
  // last one's, and differ by at most one unit.
  [[gnu::always_inline]] ProductBlock block(long task) const {
    const long units = (m + unit - 1) / unit, low = units / row_blocks, higher = units % row_blocks;
    const long at = task % row_blocks, row = (at * low + (at < higher ? at : higher)) * unit,
               rows = (low + (at < higher)) * unit;
    const long column = task / row_blocks * columns, right = n - column;
    return {row, rows < m - row ? rows : m - row, column, right < columns ? right : columns};
  }
};

// The maximum columns and rows of a block, for sums of type T, and the number of its sums.
template <class T>
inline constexpr long product_columns = 512 / sizeof(T);
inline constexpr long product_rows = 64;
template <class T>
inline constexpr long product_sums = product_rows * product_columns<T>;

// The same for the blocks of multiply_plain().
template <class T>
inline constexpr long product_plain_columns = 256 / sizeof(T);
inline constexpr long product_plain_rows = 128;
template <class T>
inline constexpr long product_plain_sums = product_plain_rows * product_plain_columns<T>;

// A caller that computes A passes it in pieces of this many columns, in rows of
// product_left_stride.
template <class T>
inline constexpr long product_depth = 1024 / sizeof(T);
template <class T>
inline constexpr long product_left_stride = product_depth<T> + 16;

// What follows the sums, for a part of a block: sum (i, j) is at sums[i * stride + j]. A call runs
// it for each part as soon as its sums are complete, so that they are still in the L1 cache, and
// what is stored leaves the core while the next sums are added.
struct ProductFinish {
  void (*run)(const void* what, const ProductBlock& part, const void* sums, long stride);
  const void* what;
  long row, column;  // of the call's first sum in the product
};
// `what` may be called as what(part, sums, stride).
//   const auto store = [=](const ProductBlock& at, const float* sums, long stride) { ... };
//   const ProductFinish finish = finish_by<float>(store, at);
template <class T, class F>
[[gnu::always_inline]] inline ProductFinish finish_by(const F& what, const ProductBlock& at) {
  return {[](const void* of, const ProductBlock& part, const void* sums, long stride) {
            const F own = *(const F*)of;  // stores cannot change copies
            own(part, (const T*)sums, stride);
          },
          &what, at.row, at.column};
}

// The number of threads that share each product of a batch: if there are many products, each thread
// processes entire ones.
[[gnu::always_inline]] inline long product_threads(long batches, long threads) {
  return batches < 2 * threads ? threads : 1;
}

// c (+)= a * b.
// Memory that is read or written after the sums in contiguous rows: prefetched while they are
// added.
struct ProductAhead {
  const void* from;  // of the first row and column
  long row_bytes, element_bytes;
};

struct ProductCall {
  long rows, columns, k;
  // Element (i, p) of A, in the type of the sums, is at a[i * a_row_stride + p * a_k_stride].
  const void* a;
  long a_row_stride, a_k_stride;
  // Columns q * width to (q + 1) * width of row p of B are at b[q * b_panel_stride + p *
  // b_row_stride]: panels have b_row_stride `width` and b_panel_stride k * width, a plain matrix
  // has its row stride and `width`. Of a plain matrix only `columns` columns are read.
  const void* b;
  long b_row_stride, b_panel_stride;
  // Sums, in rows of c_row_stride; columns up to the next multiple of 16 are written too.
  void* c;
  long c_row_stride;
  bool add;  // to the contents of C
  // Runs for all sums, which need not be in C then.
  const ProductFinish* finish = nullptr;
  const ProductAhead* ahead = nullptr;  // of the call's first row and column
  long ahead_count = 0;
  // Of multiply_plain(), without `add`: A is the transpose of windows, k runs over all positions,
  // and a is as in WindowsCall. Row r is row windows_row + r of those of all windows: channel *
  // a_row_stride + tap * a_k_stride, where the strides are taps and 1, or 1 and channels.
  const struct Windows* windows = nullptr;
  long windows_row = 0;
};

// Windows over images as rows of a left operand, in up to three dimensions, outermost first; those
// that do not exist have sizes 1. Row r is position r % (out[0] * out[1] * out[2]) of image r /
// (out[0] * ...); element k of it is channel k % channels at tap k / channels, both row-major.
// Elements outside the image are 0.
struct Windows {
  long size[3], out[3], taps[3], stride[3], dilation[3];
  long padding[3];  // before the first element
  // In elements. The channels of a position are contiguous, or planes with contiguous lines
  // (has_plane_strips()).
  long position_stride[3], image_stride;
  long channels, channel_stride = 1;
};

// c (+)= windows * b, for the rows from `row` on.
struct WindowsCall {
  long row, rows, columns;
  const void* x;  // channel 0 of the first position of image 0, in the type of the sums
  const Windows* windows;
  const void* b;  // panels, whose rows are in the order of taps and channels
  long b_panel_stride;
  void* c;
  long c_row_stride;
  const ProductFinish* finish = nullptr;  // as in ProductCall
  bool near = false;  // the task has just written what it reads: the cache of its core has it
};

// Windows of 3 x 3 with stride 1 in two dimensions, by tiles of m x m positions (winograd.h). The
// last tiles of an image may leave it.
struct Winograd {
  long m;  // 2 or 4
  long size[2], out[2], padding[2];
  long position_stride[2], image_stride;  // in elements
  long channels;                          // a multiple of 16
};
inline constexpr long winograd_most_channels = 4096;

// Adjacent rows of a product: the first, how many exist, and the row of their first sum.
struct RowRange {
  long row, rows, sum;
};

// A block of tiles of all images.
struct WinogradCall {
  const Winograd* winograd;
  long tile, tiles;
  const void* x;  // as in WindowsCall, f32
  float* scratch;
  RowRange* lines;  // is set: m for each tile
};
// The number of elements of the scratch.
[[gnu::always_inline]] inline long winograd_scratch(long m, long channels, long tiles, long width) {
  const long points = (m + 2) * (m + 2);
  return points * (tiles * (channels + width) + 32) + tiles * m * m * width;
}

// One panel of the weights for the tiles of a block, which winograd_read() has transformed.
struct WinogradPanel {
  const WinogradCall* call;
  const void* b;
  long columns;
  const ProductAhead* ahead;  // of row 0 and the panel's first column
  long ahead_count;
};

// The gradients of the weights of such windows, by tiles of 4 x 4 positions (winograd_weights.h):
// row channel * 9 + tap of a product whose columns are the channels of the result. The block's rows
// are multiples of 9 * 16.
struct WinogradWeightsCall {
  const Winograd* winograd;  // its m is 4
  ProductBlock block;
  long tiles, tiles_of_block;  // of all images; that are transformed together
  const void* x;               // as in WindowsCall, f32
  const void* gradient;        // of the result: column 0 of the first position
  long gradient_stride;        // from position to position of all images
  float* scratch;
};
// The sums of sixteen channels at a time are transformed back.
inline constexpr long winograd_weights_rows = 9 * 16, winograd_weights_columns = 64,
                      winograd_weights_sums = winograd_weights_rows * winograd_weights_columns;
// The number of elements of the scratch, of a block of so many channels.
[[gnu::always_inline]] inline long winograd_weights_scratch(long channels, long tiles) {
  constexpr long points = 36, columns = winograd_weights_columns;
  return points * (tiles * (channels + columns) + channels * columns + 48);
}

// Windows in at most two dimensions whose operand is split into parts of bf16 before it is
// multiplied (bf16x6_windows.h), for some rows: whole lines of positions, or a part of one or two
// lines.
struct SplitCall {
  const Windows* windows;
  long row, rows;
  const void* x;     // as in WindowsCall, f32
  float* scratch;    // as many elements as SplitScratch says
  long sums;         // where the sums start in it
  RowRange* ranges;  // are set
};

// One panel of the weights for the rows of a call, which split_read() has split.
struct SplitPanel {
  const SplitCall* call;
  const void* b;
  long columns;
  long ranges;  // what split_read() has returned
};

// Words of the parts of a position: an odd number of cache lines, because those of adjacent
// positions are read together and should not compete for a set of the cache.
[[gnu::always_inline]] inline constexpr long split_position(long channels) {
  return (3 * ((channels + 31) / 32) | 1) * 16;
}
// The planes of positions into which strides separate what windows read; first downwards, then
// across.
struct SplitPlanes {
  long planes[2], more[2];  // their number, and how many positions of one a window has after one

  constexpr explicit SplitPlanes(const Windows& w) : planes(), more() {
    for (int d = 0; d < 2; ++d) {
      const long reach = (w.taps[d + 1] - 1) * w.dilation[d + 1], stride = w.stride[d + 1];
      planes[d] = reach < stride ? reach + 1 : stride;
      more[d] = reach / stride;
    }
  }
};

// The memory of a call for at most `most` rows.
struct SplitScratch {
  long operand = 0, sums = 0;  // elements
  long ranges = 0;
  constexpr SplitScratch(const Windows& w, long most) {
    const long line = w.out[2], height = w.out[1];
    const bool whole = line <= most;
    const long lines = whole ? most / line : 2,
               images = whole ? (lines + height - 2) / height + 1 : 2;  // or parts of lines
    const SplitPlanes split(w);
    const long planes = split.planes[0] * split.planes[1], *more = split.more;
    const long positions = whole ? (lines + images * more[0]) * (line + more[1])
                                 : (1 + more[0]) * (most + images * more[1]);
    operand = (planes * positions + 15) * split_position(w.channels);
    sums = ((whole ? lines * (line + more[1]) : most) / 16 + images) * 16 * 64;
    ranges = lines;
  }
};

// Whether windows read the taps and channels of their last dimension as one stretch of memory, from
// a copy of the images with its padding: few channels would make many short taps.
[[gnu::always_inline]] inline bool joins_last_taps(long channels, long groups, long taps,
                                                   long dilation) {
  return channels < 16 && groups == 1 && taps > 1 && dilation == 1;
}

// Windows over planes of f32 (plane_windows.h): a task copies lines of at most product_rows rows
// into strips, `outer_taps * channels` for each phase of the stride of the last dimension.
inline constexpr long plane_most_strips = 64, plane_most_k = 256, plane_most_shift = 16,
                      plane_strip = product_rows + plane_most_shift + 16;
[[gnu::always_inline]] inline constexpr bool has_plane_strips(long channels, long outer_taps,
                                                              long taps, long stride,
                                                              long dilation) {
  const long reach = (taps - 1) * dilation, phases = reach < stride ? reach + 1 : stride;
  return channels < 16 && channels * outer_taps * phases <= plane_most_strips &&
         channels * outer_taps * taps <= plane_most_k && reach / stride <= plane_most_shift;
}

inline constexpr long depthwise_most_taps = 64;
// Whether windows over one channel have code of their own, with lanes along the channels or the
// positions: each result is the sum of a few products.
[[gnu::always_inline]] inline bool is_depthwise(long channels, long columns, long taps) {
  return channels == 1 && columns == 1 && taps <= depthwise_most_taps;
}

// The blocks of multiply_depthwise_weights(): all taps of some channels.
template <class T>
[[gnu::always_inline]] inline ProductCut cut_depthwise_weights(long taps, long n, long threads) {
  long columns = product_plain_columns<T>;
  while (columns > 16 && threads > 1 && n < 2 * threads * columns) columns /= 2;
  return {taps, n, taps, 1, columns, (n + columns - 1) / columns};
}

// The widest panels of any machine.
inline constexpr long product_most_width = 64;

// The functions for one type of B, or for an algorithm.
struct Product {
  long width;                           // columns of a panel
  long (*packed_size)(long k, long n);  // in elements
  long (*panel_count)(long n);
  // Packs panels [begin, end) of B, whose element (p, j) is at b[p * row_stride + j *
  // column_stride].
  void (*pack)(const void* b, long row_stride, long column_stride, long k, long n, void* packed,
               long begin, long end);
  // `threads`: the number of threads that will share the blocks.
  ProductCut (*cut)(long m, long n, long k, long threads);
  void (*multiply)(const ProductCall& call);

  // For an epilogue whose lanes run along the rows of C: blocks whose heights are multiples of 16,
  // and their sums transposed.
  //   const ProductCut cut = f32s.cut_turned(m, n, k, threads);
  //   f32s.multiply(...);                                   // sums in rows of product_columns
  //   f32s.turn(sums, product_columns<float>, at.rows, at.columns, turned, product_rows);
  ProductCut (*cut_turned)(long m, long n, long k, long threads);
  // to[j * to_stride + i] = from[i * from_stride + j], both in the type of the sums; rows of `to`
  // up to the next multiple of 16 elements are written.
  void (*turn)(const void* from, long from_stride, long rows, long columns, void* to,
               long to_stride);

  // B in place, with its rows contiguous, if its panels are not kept; f32, f64, A with a stride
  // of 1, or windows (ProductCall::windows).  `then`: the address of B to read after this call; it
  // need not exist.
  //   const ProductCut cut = f32s.cut_plain(m, n, k, threads);
  //   const ProductBlock at = cut.block(task);
  //   f32s.multiply_plain({at.rows, at.columns, k, a + at.row * lda, lda, 1, b + at.column, ldb, 0,
  //                        sums, product_plain_columns<float>, false},
  //                       b + cut.block(task + 1).column);
  ProductCut (*cut_plain)(long m, long n, long k, long threads);
  ProductCut (*cut_plain_turned)(long m, long n, long k, long threads);
  void (*multiply_plain)(const ProductCall& call, const void* then);

  // A is windows over images, A and B are f32 or f64; blocks are those of cut() or cut_turned().
  void (*multiply_windows)(const WindowsCall& call);
  // Column j is the sum over windows of channel j alone, with at most depthwise_most_taps taps;
  // Windows::channels is 1, and x is channel 0 of the first column. Panels are those of
  // pack_taps() for one channel.
  void (*multiply_depthwise)(const WindowsCall& call);
  // The gradients of their weights: row r of C is tap r, of which all are computed, and column j
  // the sum over positions of that element of the windows of channel j times column j of B, which
  // is as for multiply_plain(). Elements outside of the image are left out. `a` is channel 0 of
  // the first column, and C has a row more.
  //   const ProductCut cut = cut_depthwise_weights<float>(taps, channels, threads);
  void (*multiply_depthwise_weights)(const ProductCall& call);
  // Packs panels whose rows are in the order of taps and channels: element (tap * channels + p, j)
  // is at b[tap * tap_stride + p * row_stride + j * column_stride]. `joined`: the number of taps
  // that are read together as in joins_last_taps(), which parts of bf16 need to know.
  void (*pack_taps)(const void* b, long taps, long joined, long tap_stride, long row_stride,
                    long column_stride, long channels, long n, void* packed, long begin, long end);

  // Winograd's algorithm, for f32 only.
  //   const ProductCut cut = f32s.cut_winograd(tiles, n, most_tiles, threads);
  //   const ProductBlock at = cut.block(task);                   // rows are tiles
  //   const WinogradCall call{&winograd, at.row, at.rows, x, scratch, lines};
  //   f32s.winograd_read(call);
  //   for (long j = at.column; j < at.column + at.columns; j += f32s.width) {
  //     const float* sums = f32s.winograd_multiply({&call, panels + j * points * channels, ...});
  //     ...   // sums[(lines[i].sum + p) * width + c] is position p of line i, column j + c
  //   }
  ProductCut (*cut_winograd)(long tiles, long n, long most_tiles, long threads);
  void (*winograd_read)(const WinogradCall& call);
  const float* (*winograd_multiply)(const WinogradPanel& panel);
  // Packs panels of (m + 2)^2 * channels rows; otherwise as pack_taps() of nine taps.
  void (*pack_winograd)(long m, const void* b, long tap_stride, long row_stride, long column_stride,
                        long channels, long n, void* packed, long begin, long end);

  // The gradients of weights by Winograd's algorithm, for f32 only; blocks of at most `most` rows,
  // whose channels are a multiple of 16.
  //   const ProductCut cut = f32s.cut_winograd_weights(9 * channels, n, most, threads);
  //   const WinogradWeightsCall call{&winograd, cut.block(task), ...};
  //   f32s.winograd_weights_multiply(call);
  //   for (long row = call.block.row; ...; row += winograd_weights_rows) {
  //     f32s.winograd_weights_finish(call, row, rows, sums);   // rows of winograd_weights_columns
  ProductCut (*cut_winograd_weights)(long m, long n, long most, long threads);
  void (*winograd_weights_multiply)(const WinogradWeightsCall& call);
  void (*winograd_weights_finish)(const WinogradWeightsCall& call, long row, long rows,
                                  float* sums);

  // Windows as parts of bf16 (product_bf16x6).
  //   const ProductCut cut = parts.cut_split(m, n, most_rows, positions_of_line, threads);
  //   const ProductBlock at = cut.block(task);
  //   const SplitCall call{&windows, at.row, at.rows, x, scratch, elements_of_operand, ranges};
  //   const long count = parts.split_read(call);
  //   for (long j = at.column; j < at.column + at.columns; j += parts.width) {
  //     const float* sums = parts.split_multiply({&call, panels + j * panel_rows, ...});
  //     ...   // for each range: sums[(range.sum + i) * width + c] is row range.row + i, column j +
  //     c
  //   }
  ProductCut (*cut_split)(long m, long n, long most_rows, long line, long threads);
  long (*split_read)(const SplitCall& call);
  const float* (*split_multiply)(const SplitPanel& panel);
};

// The number of the functions for f32 by six products of bf16 (matmul_bf16x6.h), after those for
// f32, f64, f16 and bf16. They exist if machine_has_bf16_tiles(). Only panels, A with a k stride of
// 1, and calls for all of k; windows by split_read().
inline constexpr long product_bf16x6 = 4;
// The maximum rows of its blocks, and the number of their sums.
inline constexpr long product_bf16x6_rows = 256;
inline constexpr long product_bf16x6_sums = product_bf16x6_rows * product_columns<float>;
// Rows of f32 that panels of k rows have then, for their parts.
inline constexpr long bf16x6_panel_rows(long k) {
  return (k + 31) / 32 * 48;
}

}  // namespace vitro::kernels
