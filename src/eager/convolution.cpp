// The driver of convolutions: brings the images into an order in which channels are contiguous,
// packs the weights, and distributes blocks of the product of windows and weights over threads.
#include <algorithm>
#include <cstring>

#include "eager/copy.h"
#include "eager/images.h"
#include "eager/loop.h"
#include "eager/on_demand.h"
#include "eager/run.h"
#include "kernels/matmul_table.h"
#include "vitro/core/dtype.h"
#include "vitro/runtime/parallel.h"

namespace vitro::eager {
namespace {

class Convolution {
 public:
  Convolution(const OpCall& call, const Tensor& out)
      : spec_(call.op->contraction->windows(call.attrs)),
        dtype_(compute_type(out.dtype())),
        kernels_(kernels::matmul_kernels(dtype_ == DType::f64 ? kernels::MatmulType::f64
                                                              : kernels::MatmulType::f32)),
        out_(out) {
    const Tensor &x = call.operands[0].tensor(), &weight = call.operands[1].tensor();
    const Ints &result = out.impl()->sizes, &sizes = weight.impl()->sizes;
    images_ = result[0];
    channels_ = sizes[1];
    depthwise_ = spec_.groups > 1 && kernels::is_depthwise(channels_, result[1] / spec_.groups,
                                                           count_of(sizes) / (sizes[0] * sizes[1]));
    if (depthwise_) spec_.groups = 1;
    columns_ = result[1] / spec_.groups;
    for (size_t d = 2; d < sizes.size(); ++d) {
      positions_ *= result[d];
      taps_ *= sizes[d];
    }
    joins_ = !depthwise_ && kernels::joins_last_taps(x.impl()->sizes[1], spec_.groups, sizes.back(),
                                                     spec_.dilation.back());
    set_windows(x, sizes);
    pack(weight);
  }

  void run() {
    by_positions_ =
        out_.dtype() == dtype_ && out_.impl()->strides == channels_last_strides(out_.impl()->sizes);
    const bool direct = by_positions_ || (out_.dtype() == dtype_ && out_.is_contiguous());
    const Tensor made = direct ? out_ : Tensor::empty(out_.impl()->sizes, dtype_, cpu);
    const int64_t rows = images_ * positions_;
    const int64_t threads = kernels::product_threads(spec_.groups, num_threads());
    const kernels::ProductCut cut = kernels_.cut_turned(rows, columns_, k(), threads);
    // Eight operations count as one, since they run that much faster.
    const double flops = static_cast<double>(rows * columns_ * k()) / 4;
    const Cost cost{.flops = flops / static_cast<double>(std::max<int64_t>(cut.count, 1))};
    parallel_for(spec_.groups * cut.count, grain_for(cost), [&](int64_t begin, int64_t end) {
      dtype_ == DType::f64 ? blocks<double>(cut, made, begin, end)
                           : blocks<float>(cut, made, begin, end);
    });
    if (!direct) copy_elements(made, out_);
  }

 private:
  int64_t k() const { return taps_ * channels_; }
  const std::byte* bytes(const Tensor& t, int64_t element) const {
    return static_cast<const std::byte*>(t.const_data()) + element * bytes_of(dtype_);
  }

  // Finds or makes images with contiguous channels, and describes the windows on them.
  void set_windows(const Tensor& x, const Ints& weight) {
    const int64_t last = out_.impl()->sizes.back();
    x_ = joins_ ? joined(x, dtype_, spec_, weight.back(), last)
                : with_contiguous_channels(x, dtype_);
    windows_ = windows_over(x_, spec_, spatial(weight), spatial(out_.impl()->sizes), channels_);
    if (!joins_) return;
    windows_.taps[2] = 1;
    windows_.padding[2] = 0;
    windows_.channels = channels_ * weight.back();
  }
  static std::span<const int64_t> spatial(const Ints& sizes) {
    return std::span<const int64_t>(sizes).subspan(2);
  }

  void pack(const Tensor& weight) {
    const Tensor w = dense_copy(weight, dtype_);
    const int64_t each = kernels_.packed_size(k(), columns_);
    panels_ = Storage::allocate(static_cast<size_t>(each * spec_.groups * bytes_of(dtype_)), cpu);
    auto* to = static_cast<std::byte*>(panels_.data());
    const int64_t count = kernels_.panel_count(columns_);
    const double moved = 2.0 * static_cast<double>(each * bytes_of(dtype_));
    parallel_for(spec_.groups * count,
                 grain_for({.bytes = moved / static_cast<double>(std::max<int64_t>(count, 1))}),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t i = begin; i < end; ++i) {
                     const int64_t group = i / count, panel = i % count;
                     kernels_.pack_taps(bytes(w, group * columns_ * k()), taps_, 1, 1, taps_, k(),
                                        channels_, columns_, to + group * each * bytes_of(dtype_),
                                        panel, panel + 1);
                   }
                 });
  }

  // Blocks [begin, end) of the product of all groups. A row is a position.
  template <class T>
  void blocks(const kernels::ProductCut& cut, const Tensor& made, int64_t begin, int64_t end) {
    using kernels::product_columns;
    alignas(64) T sums[kernels::product_sums<T>];
    T* out = reinterpret_cast<T*>(const_cast<std::byte*>(bytes(made, 0)));
    const auto* panels = static_cast<const T*>(panels_.data());
    for (int64_t task = begin; task < end; ++task) {
      const int64_t group = task / cut.count, first = group * columns_;
      const kernels::ProductBlock at = cut.block(task % cut.count);
      const auto multiply = depthwise_ ? kernels_.multiply_depthwise : kernels_.multiply_windows;
      multiply({at.row, at.rows, at.columns, bytes(x_, depthwise_ ? at.column : group * channels_),
                &windows_, panels + group * kernels_.packed_size(k(), columns_) + at.column * k(),
                k() * kernels_.width, sums, product_columns<T>});
      by_positions_ ? write_positions(at, first, sums, out) : write_planes(at, first, sums, out);
    }
  }

  // Writes the sums of channels from `first` on, which are contiguous in the result.
  template <class T>
  void write_positions(const kernels::ProductBlock& at, int64_t first, const T* sums,
                       T* out) const {
    const int64_t channels = out_.impl()->sizes[1];
    for (int64_t row = 0; row < at.rows; ++row) {
      std::memcpy(out + (at.row + row) * channels + first + at.column,
                  sums + row * kernels::product_columns<T>,
                  static_cast<size_t>(at.columns) * sizeof(T));
    }
  }
  // The positions of an image are contiguous: the sums are transposed.
  template <class T>
  void write_planes(const kernels::ProductBlock& at, int64_t first, const T* sums, T* out) const {
    using kernels::product_columns, kernels::product_rows;
    alignas(64) T turned[kernels::product_sums<T>];
    kernels_.turn(sums, product_columns<T>, at.rows, at.columns, turned, product_rows);
    for (int64_t row = 0; row < at.rows;) {
      const int64_t image = (at.row + row) / positions_, position = (at.row + row) % positions_,
                    count = std::min(at.rows - row, positions_ - position);
      T* to = out + (image * out_.impl()->sizes[1] + first + at.column) * positions_ + position;
      for (int64_t j = 0; j < at.columns; ++j) {
        std::memcpy(to + j * positions_, turned + j * product_rows + row,
                    static_cast<size_t>(count) * sizeof(T));
      }
      row += count;
    }
  }

  WindowsSpec spec_;
  DType dtype_;
  const kernels::MatmulKernels& kernels_;
  const Tensor& out_;
  int64_t images_ = 1, positions_ = 1, taps_ = 1;
  int64_t channels_ = 1, columns_ = 1;  // of a group
  bool depthwise_ = false;              // each column reads its own channel
  bool joins_ = false;                  // kernels::joins_last_taps()
  bool by_positions_ = false;           // the channels of the result are contiguous
  Tensor x_;
  kernels::Windows windows_{};
  Storage panels_;
};

}  // namespace

void run_convolution(const OpCall& call, const Tensor& out) {
  const Ints& weight = call.operands[1].tensor().impl()->sizes;
  const int64_t columns = weight[0] / call.op->contraction->windows(call.attrs).groups;
  if (columns > 1 &&
      kernels::is_depthwise(weight[1], 1, count_of(weight) / (weight[0] * weight[1])))
    return run_on_demand(call, {&out, 1});
  Convolution(call, out).run();
}

}  // namespace vitro::eager
