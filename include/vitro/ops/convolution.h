// Convolutions: products of windows of an image with the weights; and their transposes.
//   Tensor y = conv2d(x, weight, bias, {.padding = 1});
//   Tensor z = conv1d(x, weight, {}, {.padding = "same", .dilation = 2});
//   Tensor u = conv_transpose2d(x, weight, bias, {.stride = 2, .padding = 1});
// x is [n, c, spatial sizes...], or one image of it [c, spatial sizes...]. All have one dtype; f16
// and bf16 are computed in f32. `bias` [o] is optional.
#pragma once

#include <array>
#include <concepts>
#include <string_view>
#include <tuple>

#include "vitro/ops/define.h"
#include "vitro/ops/product.h"

namespace vitro {
namespace ops {

struct ConvolveAttrs {
  Dims stride;                   // by spatial dimension
  Sizes padding, padding_after;  // before the first and after the last element; may be negative
  Dims dilation;
  int64_t groups = 1;
  static constexpr void each(auto&& f) {
    f("stride", &ConvolveAttrs::stride);
    f("padding", &ConvolveAttrs::padding);
    f("padding_after", &ConvolveAttrs::padding_after);
    f("dilation", &ConvolveAttrs::dilation);
    f("groups", &ConvolveAttrs::groups);
  }
};
// The contraction that all convolutions consist of.
struct Convolve : Contraction {
  static constexpr std::string_view
      name = "convolve",
      doc =
          "x [n, c, spatial sizes...] under weight [o, c / groups, window sizes...], one to three "
          "of them; elements outside x are 0.";
  static constexpr std::string_view signatures =
      "(Tensor input, Tensor weight, int[] stride, SymInt[] padding, SymInt[] "
      "padding_after, int[] dilation, int groups) -> Tensor";
  using Attrs = ConvolveAttrs;
  static void shape(ShapeCall& call);
  static void gradient(Formula& f);
  static WindowsSpec windows(AttrsView attrs);
  static constexpr ContractionInfo info{false, nullptr, &windows};
};

struct ConvolveWeightsAttrs : ConvolveAttrs {
  Sizes taps;  // window sizes
  static constexpr void each(auto&& f) {
    ConvolveAttrs::each(f);
    f("taps", &ConvolveWeightsAttrs::taps);
  }
};
// The gradient of the weights of `convolve`.
struct ConvolveWeights : Contraction {
  static constexpr std::string_view
      name = "convolve_weights",
      doc =
          "For each channel of grad_output [n, o, ...] and each element of the windows of input "
          "[n, c, spatial sizes...], the sum of their products over all positions: "
          "[o, c / groups, window sizes...].";
  static constexpr std::string_view signatures =
      "(Tensor input, Tensor grad_output, int[] stride, SymInt[] padding, SymInt[] "
      "padding_after, int[] dilation, int groups, SymInt[] taps) -> Tensor";
  using Attrs = ConvolveWeightsAttrs;
  static void shape(ShapeCall& call);
  static void gradient(Formula& f);
  static WindowsSpec windows(AttrsView attrs);
  static constexpr ContractionInfo info{true, nullptr, &windows};
};

// Zeros around an image: on both sides of each dimension as many as the number for it, or for all;
// or "valid", which is none, or "same", as many as keep its sizes.
struct ConvPadding {
  template <std::integral E>
  ConvPadding(E one) : numbers(one) {}                                 // NOLINT
  ConvPadding(std::initializer_list<int64_t> list) : numbers(list) {}  // NOLINT
  ConvPadding(DimsArg given) : numbers(std::move(given)) {}            // NOLINT
  ConvPadding(std::string_view name) : word(name) {}                   // NOLINT
  ConvPadding(const char* name) : word(name) {}                        // NOLINT
  DimsArg numbers;
  std::string_view word;
};
// One number is for all dimensions.
struct ConvAttrs {
  DimsArg stride = 1;
  ConvPadding padding = 0;
  DimsArg dilation = 1;
  int64_t groups = 1;
};
struct ConvTransposeAttrs {
  DimsArg stride = 1, padding = 0, output_padding = 0;
  int64_t groups = 1;
  DimsArg dilation = 1;
};

}  // namespace ops

inline Tensor convolve(ops::At x, const Tensor& weight, ops::ConvolveAttrs attrs) {
  return ops::call<ops::Convolve>(x.where, {x.operand, weight}, attrs);
}
inline Tensor convolve_weights(ops::At x, const Tensor& grad_output,
                               ops::ConvolveWeightsAttrs attrs) {
  return ops::call<ops::ConvolveWeights>(x.where, {x.operand, grad_output}, attrs);
}

// x under weight [o, c / groups, window sizes...], plus bias.
Tensor conv1d(ops::At x, const Tensor& weight, const Tensor& bias = {},
              const ops::ConvAttrs& attrs = {});
Tensor conv2d(ops::At x, const Tensor& weight, const Tensor& bias = {},
              const ops::ConvAttrs& attrs = {});
Tensor conv3d(ops::At x, const Tensor& weight, const Tensor& bias = {},
              const ops::ConvAttrs& attrs = {});

// Each element of x adds its multiple of the windows of weight [c, o / groups, window sizes...] to
// the result, whose windows are `stride` apart; plus bias. `padding` elements are removed from both
// sides of the result, and `output_padding` are added at its ends.
Tensor conv_transpose1d(ops::At x, const Tensor& weight, const Tensor& bias = {},
                        const ops::ConvTransposeAttrs& attrs = {});
Tensor conv_transpose2d(ops::At x, const Tensor& weight, const Tensor& bias = {},
                        const ops::ConvTransposeAttrs& attrs = {});
Tensor conv_transpose3d(ops::At x, const Tensor& weight, const Tensor& bias = {},
                        const ops::ConvTransposeAttrs& attrs = {});

// One of these, by the rank of `weight`; x is a batch.
Tensor convolution(ops::At x, const Tensor& weight, const Tensor& bias, DimsArg stride,
                   DimsArg padding, DimsArg dilation, bool transposed, DimsArg output_padding,
                   int64_t groups);
// The gradients of x, weight and bias, from that of the result; undefined where the mask is false.
std::tuple<Tensor, Tensor, Tensor> convolution_backward(ops::At gradient, const Tensor& x,
                                                        const Tensor& weight, DimsArg stride,
                                                        DimsArg padding, DimsArg dilation,
                                                        bool transposed, DimsArg output_padding,
                                                        int64_t groups,
                                                        std::array<bool, 3> output_mask);

}  // namespace vitro
