// The driver of matrix products: brings operands into a layout that the kernels accept, then
// distributes batches or the tasks of one product over threads.
#include "core/over_positions.h"
#include "eager/copy.h"
#include "eager/kernel_table.h"
#include "eager/loop.h"
#include "eager/run.h"
#include "kernels/matmul_table.h"
#include "vitro/runtime/parallel.h"

namespace vitro::eager {
namespace {

// The matrices of a tensor with or without a batch dimension; strides in elements.
struct Matrices {
  Tensor tensor;
  int64_t rows, columns, row_stride, column_stride, batch_stride;
  const std::byte* at(int64_t batch) const {
    return static_cast<const std::byte*>(tensor.const_data()) +
           batch * batch_stride * bytes_of(tensor.dtype());
  }
};

Matrices matrices_of(const Tensor& t, DType dtype) {
  const Tensor x = t.dtype() == dtype ? t : dense_copy(t, dtype);
  const TensorImpl& impl = *x.impl();
  const size_t rank = impl.sizes.size();
  return {x,
          impl.sizes[rank - 2],
          impl.sizes[rank - 1],
          impl.strides[rank - 2],
          impl.strides[rank - 1],
          rank == 3 ? impl.strides[0] : 0};
}

// The kernels need stride 1 in one of the left operand's dimensions.
Matrices left_of(const Tensor& t, DType dtype) {
  Matrices m = matrices_of(t, dtype);
  if (m.columns == 1) m.column_stride = 1;
  if (m.rows == 1 && m.column_stride != 1) m.row_stride = 1;
  const bool fits = m.column_stride == 1 || m.row_stride == 1;
  return fits ? m : matrices_of(dense_copy(m.tensor), dtype);
}

kernels::MatmulType type_of(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return kernels::MatmulType::f64;
    case DType::f16:
      return kernels::MatmulType::f16;
    case DType::bf16:
      return kernels::MatmulType::bf16;
    default:
      return kernels::MatmulType::f32;
  }
}

// Floating-point products of a batch: packs the right operands if the kernels cannot read their
// rows in place, then runs the tasks.
class RealProduct {
 public:
  RealProduct(const Matrices& a, const Matrices& b, const Tensor& c)
      : kernels_(kernels::matmul_kernels(type_of(c.dtype()))),
        a_(a),
        b_(b),
        bytes_(bytes_of(c.dtype())),
        in_place_((c.dtype() == DType::f32 || c.dtype() == DType::f64) && b.column_stride == 1 &&
                  b.row_stride > 0),
        panels_(kernels_.panel_count(b.columns)),
        packed_(in_place_ ? 0 : kernels_.packed_size(a.columns, b.columns) * bytes_),
        cost_{.bytes = static_cast<double>((a.rows + b.columns) * a.columns * bytes_),
              .flops = static_cast<double>(a.rows * b.columns * a.columns) / 4},
        c_(static_cast<std::byte*>(c.impl()->storage.data()) + c.impl()->offset * bytes_) {}

  void run(int64_t batches) const {
    const int64_t threads = num_threads();
    kernels::product_threads(batches, threads) == 1 ? apart(batches) : together(batches);
  }

 private:
  kernels::MatmulCall call(int64_t batch, const std::byte* panels, int64_t threads) const {
    return {a_.rows,
            b_.columns,
            a_.columns,
            a_.at(batch),
            a_.row_stride,
            a_.column_stride,
            in_place_ ? b_.at(batch) : panels,
            c_ + batch * a_.rows * b_.columns * bytes_,
            b_.columns,
            nullptr,
            threads,
            in_place_ ? b_.row_stride : 0};
  }
  void pack(int64_t batch, int64_t begin, int64_t end, std::byte* to) const {
    kernels_.pack(b_.at(batch), b_.row_stride, b_.column_stride, a_.columns, b_.columns, to, begin,
                  end);
  }

  int64_t count(const kernels::MatmulCall& one) const {
    return (in_place_ ? kernels_.cut_plain : kernels_.cut)(one.m, one.n, one.k, one.threads).count;
  }

  // Runs each product on one thread.
  void apart(int64_t batches) const {
    parallel_for(batches, grain_for(cost_), [&](int64_t begin, int64_t end) {
      const Storage room = Storage::allocate(static_cast<size_t>(packed_), cpu);
      auto* to = static_cast<std::byte*>(room.data());
      for (int64_t i = begin; i < end; ++i) {
        if (!in_place_) pack(i, 0, panels_, to);
        const kernels::MatmulCall one = call(i, to, 1);
        kernels_.run(one, 0, count(one));
      }
    });
  }

  // Runs one product at a time on all threads.
  void together(int64_t batches) const {
    const Storage room = Storage::allocate(static_cast<size_t>(packed_), cpu);
    auto* to = static_cast<std::byte*>(room.data());
    const double panel_bytes = static_cast<double>(packed_) / static_cast<double>(panels_);
    for (int64_t i = 0; i < batches; ++i) {
      if (!in_place_) {
        parallel_for(panels_, grain_for({.bytes = 2 * panel_bytes}),
                     [&](int64_t begin, int64_t end) { pack(i, begin, end, to); });
      }
      const kernels::MatmulCall one = call(i, to, num_threads());
      const int64_t tasks = count(one);
      const auto parts = static_cast<double>(tasks);
      parallel_for(tasks, grain_for({.bytes = cost_.bytes / parts, .flops = cost_.flops / parts}),
                   [&](int64_t begin, int64_t end) { kernels_.run(one, begin, end); });
    }
  }

  const kernels::MatmulKernels& kernels_;
  const Matrices &a_, &b_;
  int64_t bytes_;
  bool in_place_;
  int64_t panels_, packed_;
  Cost cost_;  // per product; eight operations count as one, since they run that much faster
  std::byte* c_;
};

void multiply_integers(const Matrices& a, const Matrices& b, int64_t batches, const Tensor& c) {
  const MatmulShape shape{a.rows, b.columns, a.columns};
  auto* out = static_cast<int64_t*>(c.impl()->storage.data());
  parallel_for(batches, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      kernel_table().integer_matmul(shape, reinterpret_cast<const int64_t*>(a.at(i)), a.row_stride,
                                    a.column_stride, reinterpret_cast<const int64_t*>(b.at(i)),
                                    b.row_stride, out + i * shape.m * shape.n);
    }
  });
}

}  // namespace

void run_contraction(const OpCall& call, const Tensor& out) {
  if (out.numel().hint() == 0) return;
  const Tensor &x = call.operands[0].tensor(), &y = call.operands[1].tensor();
  const bool real = is_floating(out.dtype());
  const DType dtype = real ? out.dtype() : DType::i64;
  const int64_t batches = call.op->contraction->batched ? out.impl()->sizes[0] : 1;
  if (count_of(x.impl()->sizes) == 0) return fill_elements(0, out);
  if (sums_positions(*call.op->contraction)) return run_convolution_weights(call, out);
  if (call.op->contraction->windows) return run_convolution(call, out);
  if (real) {
    const Matrices a = left_of(x, dtype), b = matrices_of(y, dtype);
    return RealProduct(a, b, out).run(batches);
  }
  const Tensor made = Tensor::empty(out.impl()->sizes, dtype, out.device());
  multiply_integers(matrices_of(x, dtype), matrices_of(dense_copy(y, dtype), dtype), batches, made);
  copy_elements(made, out);
}

}  // namespace vitro::eager
