// Convolutions: products of windows of an image with the weights.
//   Tensor y = conv2d(x, weight, bias, {.padding = 1});
#pragma once

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

struct Conv2dAttrs {
  DimsArg stride{1, 1}, padding{0, 0},
      dilation{1, 1};  // of height and width; one number is for both
  int64_t groups = 1;
  static constexpr void each(auto&& f) {
    f("stride", &Conv2dAttrs::stride);
    f("padding", &Conv2dAttrs::padding);
    f("dilation", &Conv2dAttrs::dilation);
    f("groups", &Conv2dAttrs::groups);
  }
};
struct Conv2d {
  static constexpr OpKind kind = OpKind::composite;
  static constexpr std::string_view
      name = "conv2d",
      doc = "x [n, c, h, w] or [c, h, w] under weight [o, c / groups, kh, kw], plus bias [o].";
  static constexpr std::string_view signatures =
      "(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, 1], SymInt[2] "
      "padding=[0, 0], SymInt[2] dilation=[1, 1], SymInt groups=1) -> Tensor";
  using Attrs = Conv2dAttrs;
  static constexpr int min_arity = 2, max_arity = 3;
  static void shape(ShapeCall& call);
  static void gradient(Formula& f);
  static void expand(std::span<const Operand> operands, AttrsView attrs, std::span<Tensor> results);
};

}  // namespace ops

inline Tensor convolve(ops::At x, const Tensor& weight, ops::ConvolveAttrs attrs) {
  return ops::call<ops::Convolve>(x.where, {x.operand, weight}, attrs);
}
// `bias` is optional.
Tensor conv2d(ops::At x, const Tensor& weight, const Tensor& bias = {},
              ops::Conv2dAttrs attrs = {});

}  // namespace vitro
