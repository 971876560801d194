// What convolutions and their gradients share: `convolve` of any numbers, and its adjoint.
#pragma once

#include <string_view>

#include "ops/by_formula.h"
#include "ops/memory_format.h"
#include "vitro/ops/convolution.h"

namespace vitro::ops {

// Whether the result lies with its channels next to one another: ATen's rule for images. Volumes
// are row-major, although oneDNN makes an exception for some calls.
inline bool gives_channels_last(const TensorMeta& x, const TensorMeta& weight) {
  return x.rank() == 4 && (has_channels_last(x) || has_channels_last(weight));
}

// The sizes of the spatial dimensions of x [n, c, spatial sizes...].
inline Sizes spatial(const Tensor& x) {
  return Sizes(std::span<const Size>(x.sizes()).subspan(2));
}

// Error of `op` unless there is one number for each of `rank` spatial dimensions, none of them less
// than `least`.
void check_numbers(std::string_view op, std::string_view what, const Dims& numbers, size_t rank,
                   int64_t least);

// The operand. Error if it is not a tensor.
const TensorMeta& tensor_of(const ShapeCall& call, size_t i);
// Error of `op` unless they fit `rank` spatial dimensions.
void check_attributes(std::string_view op, const ConvolveAttrs& a, size_t rank);

// The sizes of the result of `convolve`. Error of `op` if the channels do not fit, or the windows
// are larger than x.
Sizes sizes_under(std::string_view op, const TensorMeta& x, const TensorMeta& weight,
                  const ConvolveAttrs& a);

// `convolve`, of integers too.
Tensor convolved(const At& x, const Tensor& weight, const ConvolveAttrs& a);

// The elements that `convolve` reads for each place of the windows of `weight`, which has these
// sizes, as matrices [n * groups, terms, places].
Tensor windows_of(const Tensor& x, const ConvolveAttrs& a, const Sizes& weight);

// The adjoint of `convolve`: the sums of what each element of x [n, o, ...] adds to the elements
// that it is computed from, [n, c, sizes...]. Ignores `padding_after`.
Tensor transposed(const At& x, const Tensor& weight, const ConvolveAttrs& a, const Sizes& sizes);

struct TransposedAttrs : ConvolveAttrs {
  Sizes sizes;
  static constexpr void each(auto&& f) {
    ConvolveAttrs::each(f);
    f("sizes", &TransposedAttrs::sizes);
  }
};
// `transposed`, whose gradients are those of one convolution instead of one for each phase.
struct Transposed : ByFormula {
  static constexpr std::string_view name = "transposed",
                                    signatures = "(Tensor input, Tensor weight) -> Tensor";
  static constexpr int arity = 2;
  using Attrs = TransposedAttrs;
  static void shape(ShapeCall& call);
  static void expand(std::span<const Operand> operands, AttrsView attrs, std::span<Tensor> results);
  static void gradient(Formula& f);
};

// The convolution whose adjoint is a transposed convolution, and the spatial sizes of the result of
// that one. Error of `op` if the arguments do not fit x, which is a batch.
struct Transposition {
  ConvolveAttrs attrs;
  Sizes sizes;
};
Transposition transposition(std::string_view op, const Tensor& x, const Tensor& weight,
                            const ConvTransposeAttrs& attrs);
// Error of `op` unless `weight` is that of one of the convolutions, and x a batch for it.
void check_batch(std::string_view op, const Tensor& x, const Tensor& weight);
// Zeros before and after a dimension so that windows of `kernel` taps keep its size.
struct SamePadding {
  Size before, after;
};
inline SamePadding same_padding(Size kernel, int64_t dilation) {
  const Size total = (kernel - 1) * dilation;
  return {total / 2, total - total / 2};
}
// The attributes of the convolution. Error of `op` if the arguments are invalid.
ConvolveAttrs attrs_of(std::string_view op, const Tensor& weight, const ConvAttrs& attrs);

}  // namespace vitro::ops
