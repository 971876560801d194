// The driver of gradients of the weights of convolutions: brings both operands into an order in
// which channels are contiguous, and distributes blocks of the product over threads.
#include <cstring>

#include "eager/copy.h"
#include "eager/images.h"
#include "eager/loop.h"
#include "eager/run.h"
#include "kernels/matmul_table.h"
#include "kernels/position_rows.h"
#include "vitro/core/dtype.h"
#include "vitro/runtime/parallel.h"

namespace vitro::eager {
namespace {

class ConvolutionWeights {
 public:
  ConvolutionWeights(const OpCall& call, const Tensor& out)
      : spec_(call.op->contraction->windows(call.attrs)),
        dtype_(compute_type(out.dtype())),
        kernels_(kernels::matmul_kernels(dtype_ == DType::f64 ? kernels::MatmulType::f64
                                                              : kernels::MatmulType::f32)),
        out_(out) {
    const Tensor &x = call.operands[0].tensor(), &g = call.operands[1].tensor();
    const Ints &sizes = out.impl()->sizes, &of_g = g.impl()->sizes;
    const auto taps = std::span<const int64_t>(sizes).subspan(2),
               positions = std::span<const int64_t>(of_g).subspan(2);
    channels_ = sizes[1];
    depthwise_ = spec_.groups > 1 && kernels::is_depthwise(channels_, sizes[0] / spec_.groups,
                                                           count_of(sizes) / sizes[0]);
    if (depthwise_) spec_.groups = 1;
    columns_ = sizes[0] / spec_.groups;
    rows_ = count_of(sizes) / sizes[0];
    depth_ = count_of(of_g) / of_g[1];
    const bool joins = !depthwise_ && kernels::joins_last_taps(x.impl()->sizes[1], spec_.groups,
                                                               taps.back(), spec_.dilation.back());
    x_ = joins ? joined(x, dtype_, spec_, taps.back(), positions.back())
               : with_contiguous_channels(x, dtype_);
    windows_ = windows_over(x_, spec_, taps, positions, channels_);
    if (joins) windows_.padding[2] = 0;
    plain_ = !depthwise_ && reads_positions();
    g_ = rows_of(g);
  }

  void run() {
    const bool direct = out_.dtype() == dtype_ && out_.is_contiguous();
    const Tensor made = direct ? out_ : Tensor::empty(out_.impl()->sizes, dtype_, cpu);
    const int64_t threads = kernels::product_threads(spec_.groups, num_threads());
    const kernels::ProductCut cut =
        depthwise_ ? (dtype_ == DType::f64
                          ? kernels::cut_depthwise_weights<double>
                          : kernels::cut_depthwise_weights<float>)(rows_, columns_, threads)
                   : kernels_.cut_plain_turned(rows_, columns_, depth_, threads);
    // Eight operations count as one, since they run that much faster.
    const double flops = static_cast<double>(rows_ * columns_ * depth_) / 4;
    const Cost cost{.flops = flops / static_cast<double>(std::max<int64_t>(cut.count, 1))};
    parallel_for(spec_.groups * cut.count, grain_for(cost), [&](int64_t begin, int64_t end) {
      dtype_ == DType::f64 ? blocks<double>(cut, made, begin, end)
                           : blocks<float>(cut, made, begin, end);
    });
    if (!direct) copy_elements(made, out_);
  }

 private:
  // Whether windows are the positions of the images, one after another in memory.
  bool reads_positions() const {
    for (size_t d = 0; d < 3; ++d) {
      if (windows_.taps[d] != 1 || windows_.stride[d] != 1 || windows_.padding[d] != 0 ||
          windows_.out[d] != windows_.size[d])
        return false;
    }
    return x_.impl()->strides == channels_last_strides(x_.impl()->sizes);
  }

  // The gradient as one matrix: dense, with contiguous channels.
  Tensor rows_of(const Tensor& g) const {
    const Ints &sizes = g.impl()->sizes, strides = channels_last_strides(sizes);
    if (g.dtype() == dtype_ && g.impl()->strides == strides) return g;
    const Tensor made = Tensor::empty_strided(sizes, strides, dtype_, cpu);
    copy_elements(g, made);
    return made;
  }

  // Blocks [begin, end) of the product of all groups.
  template <class T>
  void blocks(const kernels::ProductCut& cut, const Tensor& made, int64_t begin, int64_t end) {
    using kernels::product_plain_columns, kernels::product_plain_rows;
    alignas(64) T sums[kernels::product_plain_sums<T>], turned[kernels::product_plain_sums<T>];
    const T *x = static_cast<const T*>(x_.const_data()),
            *g = static_cast<const T*>(g_.const_data());
    T* out = static_cast<T*>(const_cast<void*>(made.const_data()));
    for (int64_t task = begin; task < end; ++task) {
      const int64_t group = task / cut.count, first = group * columns_;
      const kernels::ProductBlock at = cut.block(task % cut.count);
      kernels::ProductCall call{};
      call.rows = at.rows, call.columns = at.columns, call.k = depth_;
      set_left(call, x + (depthwise_ ? at.column : group * channels_), at.row);
      call.b = g + first + at.column, call.b_row_stride = g_.impl()->sizes[1];
      call.c = sums, call.c_row_stride = product_plain_columns<T>;
      depthwise_
          ? kernels_.multiply_depthwise_weights(call)
          : kernels_.multiply_plain(call, g + first + cut.block(task % cut.count + 1).column);
      kernels_.turn(sums, product_plain_columns<T>, at.rows, at.columns, turned,
                    product_plain_rows);
      for (int64_t j = 0; j < at.columns; ++j)
        write(turned + j * product_plain_rows, at, out + (first + at.column + j) * rows_);
    }
  }

  template <class T>
  void set_left(kernels::ProductCall& call, const T* x, int64_t row) const {
    if (plain_) {
      call.a = x + row, call.a_row_stride = 1, call.a_k_stride = x_.impl()->strides.back();
      return;
    }
    const bool by_taps = kernels::rows_follow_taps(channels_);
    call.a = x, call.windows = &windows_, call.windows_row = row;
    call.a_row_stride = by_taps ? 1 : rows_ / channels_;
    call.a_k_stride = by_taps ? channels_ : 1;
  }

  // Sums of the rows of a block to the weights of their column.
  template <class T>
  void write(const T* sums, const kernels::ProductBlock& at, T* weights) const {
    if (!kernels::rows_follow_taps(channels_)) {
      std::memcpy(weights + at.row, sums, static_cast<size_t>(at.rows) * sizeof(T));
      return;
    }
    const int64_t taps = rows_ / channels_;
    for (int64_t i = 0; i < at.rows; ++i) {
      const int64_t row = at.row + i;
      weights[row % channels_ * taps + row / channels_] = sums[i];
    }
  }

  WindowsSpec spec_;
  DType dtype_;
  const kernels::MatmulKernels& kernels_;
  const Tensor& out_;
  int64_t channels_ = 1, columns_ = 1;  // of a group
  int64_t rows_ = 1, depth_ = 1;
  Tensor x_, g_;
  kernels::Windows windows_{};
  bool plain_ = false;      // reads_positions()
  bool depthwise_ = false;  // each column reads its own channel
};

}  // namespace

void run_convolution_weights(const OpCall& call, const Tensor& out) {
  ConvolutionWeights(call, out).run();
}

}  // namespace vitro::eager
