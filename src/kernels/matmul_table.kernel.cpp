#include "kernels/matmul_table.h"
#include "kernels/matmul.h"

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
static void pack(const void* b, i64 row_stride, i64 column_stride, i64 k, i64 n, void* packed,
                 i64 begin, i64 end) {
  for (i64 p = begin; p < end; ++p) {
    matmul_pack<typename Sums<T>::type>((const T*)b, row_stride, column_stride, k, n, (T*)packed,
                                        p);
  }
}
template <class T>
static MatmulTasks tasks_of(const MatmulCall& call) {
  return matmul_tasks<typename Sums<T>::type>(call.m, call.n, call.k, call.threads);
}
template <class T>
static i64 task_count(const MatmulCall& call) {
  return tasks_of<T>(call).count;
}

template <class T, class A>
[[gnu::noinline]] static void run_tasks(const MatmulCall& call, const A& a, i64 begin, i64 end) {
  using Acc = typename Sums<T>::type;
  MatmulTasks tasks = tasks_of<T>(call);
  T* c = (T*)call.c;
  const Acc* bias = (const Acc*)call.bias;
  for (i64 task = begin; task < end; ++task) {
    matmul_task<Acc, any_rows>(tasks, task, a, (const T*)call.packed,
                               [&](i64 row, i64 column, i64 count, Vec<Acc> sum) {
                                 if (bias) sum = sum + load(bias + column, count);
                                 store_as(c + row * call.c_row_stride + column, sum, count);
                               });
  }
}

template <class T>
static void run(const MatmulCall& call, i64 begin, i64 end) {
  using Acc = typename Sums<T>::type;
  const T* a = (const T*)call.a;
  i64 row_stride = call.a_row_stride, column_stride = call.a_column_stride;
  if (column_stride == 1) {
    run_tasks<T>(call, RowMajor<T>{a, row_stride}, begin, end);
  } else if (row_stride == 1) {
    run_tasks<T>(call, ColumnMajor<T>{a, column_stride}, begin, end);
  } else {
    auto anywhere = [=](i64 row, i64 k, i64 count) {
      return convert<Acc>(
          load_strided(a + row * row_stride + k * column_stride, column_stride, count));
    };
    run_tasks<T>(call, anywhere, begin, end);
  }
}

template <class T>
inline constexpr MatmulKernels table_of = {packed_elements<T>, panels<T>, pack<T>, task_count<T>,
                                           run<T>};

extern const MatmulKernels matmul_table[4] = {table_of<f32>, table_of<f64>, table_of<f16>,
                                              table_of<bf16>};

}  // namespace vitro::kernels_ahead::VITRO_ISA
