// The tables of matrix products for one instruction set (compiled once for each): matmul.h and
// matmul_plain.h for the four types. Host code reaches them through matmul_table.h.
#include "kernels/matmul_table.h"
#include "kernels/bf16x6_windows.h"
#include "kernels/depthwise.h"
#include "kernels/depthwise_weights.h"
#include "kernels/matmul_plain.h"
#include "kernels/matmul_windows.h"
#include "kernels/plane_windows.h"
#include "kernels/winograd.h"
#include "kernels/winograd_weights.h"

namespace vitro::kernels_ahead::VITRO_ISA {

using namespace vitro::kernels;

template <class T>
struct Sums {
  using type = f32;
};
template <>
struct Sums<f64> {
  using type = f64;
};

template <class T>
static i64 packed_elements(i64 k, i64 n) {
  return packed_size<typename Sums<T>::type>(k, n);
}
template <class T>
static i64 panels(i64 n) {
  return panel_count<typename Sums<T>::type>(n);
}
template <class T>
struct Moved {
  using type = T;
};
template <>
struct Moved<f16> {
  using type = i16;
};
template <>
struct Moved<bf16> {
  using type = i16;
};
template <class T>
static void pack(const void* b, i64 row_stride, i64 column_stride, i64 k, i64 n, void* packed,
                 i64 begin, i64 end) {
  using M = typename Moved<T>::type;
  matmul_pack<typename Sums<T>::type>((const M*)b, row_stride, column_stride, k, n, (M*)packed,
                                      begin, end);
}
template <class T>
static void pack_taps(const void* b, i64 taps, i64 /*joined*/, i64 tap_stride, i64 row_stride,
                      i64 column_stride, i64 channels, i64 n, void* packed, i64 begin, i64 end) {
  using M = typename Moved<T>::type;
  matmul_pack_taps<typename Sums<T>::type>((const M*)b, taps, tap_stride, row_stride, column_stride,
                                           channels, n, (M*)packed, begin, end);
}
template <class T>
static ProductCut cut(i64 m, i64 n, i64 k, i64 threads) {
  return matmul_cut<typename Sums<T>::type>(m, n, k, threads);
}
template <class T>
static void multiply(const ProductCall& call) {
  using Acc = typename Sums<T>::type;
  matmul_multiply<Acc, Acc, T>(call);
}
template <class T>
static ProductCut cut_turned(i64 m, i64 n, i64 k, i64 threads) {
  return matmul_cut_turned<typename Sums<T>::type>(m, n, k, threads);
}
template <class T>
static void turn(const void* from, i64 from_stride, i64 rows, i64 columns, void* to,
                 i64 to_stride) {
  using Acc = typename Sums<T>::type;
  matmul_turn((const Acc*)from, from_stride, rows, columns, (Acc*)to, to_stride);
}
template <class T>
static ProductCut cut_plain(i64 m, i64 n, i64 k, i64 threads) {
  return matmul_cut_plain<typename Sums<T>::type>(m, n, k, threads);
}
template <class T>
static ProductCut cut_plain_turned(i64 m, i64 n, i64 k, i64 threads) {
  return matmul_cut_plain<typename Sums<T>::type, true>(m, n, k, threads);
}
template <class T>
static void multiply_plain(const ProductCall& call, const void* then) {
  matmul_multiply_plain<typename Sums<T>::type>(call, then);
}
template <class T>
static void multiply_windows(const WindowsCall& call) {
  if constexpr (__is_same(T, f32)) {
    if (call.windows->channel_stride != 1) return matmul_multiply_planes<T>(call);
  }
  matmul_multiply_windows<T>(call);
}
template <class T>
static void multiply_depthwise(const WindowsCall& call) {
  depthwise_multiply<T>(call);
}

static void read_winograd(const WinogradCall& call) {
  (call.winograd->m == 2 ? winograd_read<2> : winograd_read<4>)(call);
}
static void pack_winograd(i64 m, const void* b, i64 tap_stride, i64 row_stride, i64 column_stride,
                          i64 channels, i64 n, void* packed, i64 begin, i64 end) {
  (m == 2 ? winograd_pack<2> : winograd_pack<4>)((const f32*)b, tap_stride, row_stride,
                                                 column_stride, channels, n, (f32*)packed, begin,
                                                 end);
}

// Writes a block of sums, whose rows are `stride` apart.
template <class T, i64 stride, class Acc>
[[gnu::noinline]] static void finish(const MatmulCall& call, const ProductBlock& at,
                                     const Acc* sums) {
  T* c = (T*)call.c + at.row * call.c_row_stride + at.column;
  for (i64 i = 0; i < at.rows; ++i) {
#pragma clang loop unroll(disable)
    for (i64 j = 0; j < at.columns; j += 16) {
      Vec<Acc> sum = load(sums + i * stride + j);
      const i64 count = at.columns - j;
      if (call.bias) sum = sum + load((const Acc*)call.bias + at.column + j, count);
      store_as(c + i * call.c_row_stride + j, sum, count);
    }
  }
}

template <class T>
static void run_plain(const MatmulCall& call, i64 begin, i64 end) {
  constexpr i64 stride = product_plain_columns<T>;
  const ProductCut cut = matmul_cut_plain<T>(call.m, call.n, call.k, call.threads);
  const T *a = (const T*)call.a, *b = (const T*)call.b;
  alignas(64) T sums[product_plain_sums<T>];
  for (i64 task = begin; task < end; ++task) {
    const ProductBlock at = cut.block(task);
    matmul_multiply_plain<T>(
        {at.rows, at.columns, call.k, a + at.row * call.a_row_stride, call.a_row_stride,
         call.a_column_stride, b + at.column, call.b_row_stride, 0, sums, stride, false},
        b + cut.block(task + 1).column);
    finish<T, stride>(call, at, sums);
  }
}

template <class T>
static void run(const MatmulCall& call, i64 begin, i64 end) {
  using Acc = typename Sums<T>::type;
  if constexpr (__is_same(T, Acc)) {
    if (call.b_row_stride > 0) return run_plain<T>(call, begin, end);
  }
  constexpr i64 width = MatmulPanel<Acc>::columns, stride = product_columns<Acc>;
  const ProductCut cut = matmul_cut<Acc>(call.m, call.n, call.k, call.threads);
  alignas(64) Acc sums[product_sums<Acc>];
  for (i64 task = begin; task < end; ++task) {
    const ProductBlock at = cut.block(task);
    matmul_multiply<Acc, T, T>({at.rows, at.columns, call.k,
                                (const T*)call.a + at.row * call.a_row_stride, call.a_row_stride,
                                call.a_column_stride, (const T*)call.b + at.column * call.k, width,
                                call.k * width, sums, stride, false});
    finish<T, stride>(call, at, sums);
  }
}

// None for halves: their operands are converted to the type of the sums first.
struct NoWindows {
  static constexpr void (*all)(const WindowsCall&) = nullptr;
  static constexpr void (*depthwise)(const WindowsCall&) = nullptr;
  static constexpr DepthwiseWeightsTile weights = {};
};
template <class T>
struct RealWindows {
  static constexpr auto all = multiply_windows<T>, depthwise = multiply_depthwise<T>;
  static constexpr DepthwiseWeightsTile weights = {depthwise_weights_taps<T>,
                                                   depthwise_weights_tile<T>};
};
template <class T>
struct WindowsOf : NoWindows {};
template <>
struct WindowsOf<f32> : RealWindows<f32> {};
template <>
struct WindowsOf<f64> : RealWindows<f64> {};

template <class T>
inline constexpr MatmulKernels table_of = {{MatmulPanel<typename Sums<T>::type>::columns,
                                            packed_elements<T>,
                                            panels<T>,
                                            pack<T>,
                                            cut<T>,
                                            multiply<T>,
                                            cut_turned<T>,
                                            turn<T>,
                                            cut_plain<T>,
                                            cut_plain_turned<T>,
                                            multiply_plain<T>,
                                            WindowsOf<T>::all,
                                            WindowsOf<T>::depthwise,
                                            nullptr,
                                            pack_taps<T>,
                                            winograd_cut,
                                            read_winograd,
                                            winograd_multiply,
                                            pack_winograd,
                                            winograd_weights_cut,
                                            winograd_weights_multiply,
                                            winograd_weights_finish},
                                           run<T>,
                                           WindowsOf<T>::weights};

extern const MatmulKernels matmul_table[4] = {table_of<f32>, table_of<f64>, table_of<f16>,
                                              table_of<bf16>};

#if defined(__AVX512F__)
static void pack_bf16x6(const void* b, i64 row_stride, i64 column_stride, i64 k, i64 n,
                        void* packed, i64 begin, i64 end) {
  bf16x6_pack((const f32*)b, 1, 1, 0, row_stride, column_stride, k, n, (f32*)packed, begin, end);
}

static void pack_bf16x6_taps(const void* b, i64 taps, i64 joined, i64 tap_stride, i64 row_stride,
                             i64 column_stride, i64 channels, i64 n, void* packed, i64 begin,
                             i64 end) {
  bf16x6_pack((const f32*)b, taps, joined, tap_stride, row_stride, column_stride, channels, n,
              (f32*)packed, begin, end);
}

extern const Product bf16x6_product = {.width = bf16x6_panel,
                                       .packed_size = bf16x6_packed_size,
                                       .panel_count = panels<f32>,
                                       .pack = pack_bf16x6,
                                       .cut = bf16x6_cut,
                                       .multiply = bf16x6_multiply,
                                       .cut_turned = bf16x6_cut,
                                       .turn = turn<f32>,
                                       .pack_taps = pack_bf16x6_taps,
                                       .cut_split = split_cut,
                                       .split_read = split_read,
                                       .split_multiply = split_multiply};
#endif

}  // namespace vitro::kernels_ahead::VITRO_ISA
