// Gradients of convolutions. That of x is the adjoint of the contraction, that of the weight a sum
// of products of the windows of x.
#include "core/numbers.h"
#include "ops/convolve.h"
#include "ops/gradient.h"
#include "ops/wide.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/ops/product.h"
#include "vitro/ops/reduce.h"
#include "vitro/ops/view.h"

namespace vitro {
namespace ops {
namespace {

// So few that the sums of a depthwise convolution have tiles of their own.
bool has_few_taps(const Sizes& weight) {
  constexpr int64_t most = 64;
  Size taps = 1;
  for (size_t d = 2; d < weight.size(); ++d) taps = taps * weight[d];
  return !less(most, taps);
}

// Whether it is a product over positions, without windows in memory: where results fill the columns
// of a tile, channels of one group make windows large, or each channel is its own group.
bool is_over_positions(const Tensor& x, const ConvolveAttrs& a, const Sizes& weight) {
  constexpr int64_t columns = 16;
  if (!is_floating(x.dtype())) return false;
  if (a.groups == 1 && !equal(weight[1], 1)) return true;
  if (a.groups > 1 && equal(weight[1], 1) && equal(weight[0], a.groups) && has_few_taps(weight))
    return true;
  return !less(weight[0] / a.groups, columns);
}

Tensor of_windows(const Tensor& x, const Tensor& g, const ConvolveAttrs& a, const Sizes& weight) {
  const Tensor terms = windows_of(x, a, weight);
  const Size of_group = weight[0] / a.groups;
  const Tensor of_each =
      bmm(reshape(g, {terms.size(0), of_group, terms.size(2)}), transpose(terms, 1, 2));
  return reshape(sum(reshape(of_each, {x.size(0), a.groups, of_group, terms.size(1)}), {0}),
                 weight);
}

Tensor of_weight(const Tensor& x, const Tensor& g, const ConvolveAttrs& a, const Sizes& weight) {
  if (!is_over_positions(x, a, weight)) return of_windows(x, g, a, weight);
  const Sizes taps(std::span<const Size>(weight).subspan(2));
  return convolve_weights(x, g, {a, taps});
}

// Of the weights of which `convolve_weights` is the gradient.
Sizes weight_sizes(const Sizes& x, const Sizes& g, const ConvolveWeightsAttrs& a) {
  Sizes out{g[1], x[1] / a.groups};
  for (const Size tap : a.taps) out.push_back(tap);
  return out;
}

}  // namespace

void Convolve::gradient(Formula& f) {
  const auto& a = f.attrs<Attrs>();
  const Tensor &x = f.tensor(0), &weight = f.tensor(1), g = widened(f.gradient());
  if (f.wants(0)) f.set(0, transposed(g, widened(weight), a, spatial(x)));
  if (f.wants(1)) f.set(1, of_weight(widened(x), g, a, weight.sizes()));
}

void Transposed::gradient(Formula& f) {
  const auto& a = f.attrs<Attrs>();
  const Tensor &x = f.tensor(0), &weight = f.tensor(1), &g = f.gradient();
  if (f.wants(0)) f.set(0, convolved(g, weight, a));
  if (f.wants(1)) f.set(1, of_weight(g, x, a, weight.sizes()));
}

void ConvolveWeights::shape(ShapeCall& call) {
  const TensorMeta &x = tensor_of(call, 0), &g = tensor_of(call, 1);
  const auto& a = call.attrs.as<Attrs>();
  const size_t rank = a.taps.size();
  VITRO_CHECK(
      rank >= 1 && rank <= 3 && x.sizes.size() == rank + 2 && g.sizes.size() == rank + 2, call.op,
      ": needs input and grad_output with two more dimensions than taps, which are ",
      "one to three, got sizes ", numbers_of(x.sizes), ", ", numbers_of(g.sizes), " and ", a.taps);
  VITRO_CHECK(x.dtype == g.dtype && is_floating(x.dtype), call.op,
              ": takes floating-point numbers of one dtype, got ", x.dtype, " and ", g.dtype);
  check_attributes(call.op, a, rank);
  VITRO_CHECK(a.groups > 0 && equal(x.sizes[1] % a.groups, 0), call.op,
              ": with groups = ", a.groups,
              ", input needs a multiple of as many channels, got sizes ", numbers_of(x.sizes));
  TensorMeta weight = g;
  weight.sizes = weight_sizes(x.sizes, g.sizes, a);
  const Sizes needed = sizes_under(call.op, x, weight, a);
  VITRO_CHECK(equal_sizes(g.sizes, needed), call.op, ": grad_output needs sizes ",
              numbers_of(needed), ", got ", numbers_of(g.sizes));
  call.results.push_back(dense(x.dtype, x.device, weight.sizes));
}

WindowsSpec ConvolveWeights::windows(AttrsView attrs) {
  const auto& a = attrs.as<Attrs>();
  return {a.stride, a.dilation, a.padding, a.groups};
}

// The sums are linear in both operands.
void ConvolveWeights::gradient(Formula& f) {
  const auto& a = f.attrs<Attrs>();
  const Tensor &x = f.tensor(0), &g = f.tensor(1);
  const Tensor weight = widened(f.gradient());
  if (f.wants(0)) f.set(0, transposed(widened(g), weight, a, spatial(x)));
  if (f.wants(1)) f.set(1, convolved(widened(x), weight, a));
}

}  // namespace ops

std::tuple<Tensor, Tensor, Tensor> convolution_backward(ops::At gradient, const Tensor& x,
                                                        const Tensor& weight, DimsArg stride,
                                                        DimsArg padding, DimsArg dilation,
                                                        bool transposed, DimsArg output_padding,
                                                        int64_t groups,
                                                        std::array<bool, 3> output_mask) {
  constexpr std::string_view op = "convolution_backward";
  const CalledAs name(op, gradient.where);
  const Tensor& given = gradient.operand.tensor();
  ops::check_batch(op, x, weight);
  ops::ConvolveAttrs a;
  Sizes sizes = x.sizes();
  if (transposed) {
    const auto [attrs, spatial] =
        ops::transposition(op, x, weight, {stride, padding, output_padding, groups, dilation});
    a = attrs;
    sizes[1] = weight.size(1) * groups;
    for (size_t d = 0; d < spatial.size(); ++d) sizes[d + 2] = spatial[d];
  } else {
    a = ops::attrs_of(op, weight, {stride, padding, dilation, groups});
    sizes = ops::sizes_under(op, x.rule_meta(), weight.rule_meta(), a);
  }
  VITRO_CHECK(given.dtype() == x.dtype() && ops::equal_sizes(given.sizes(), sizes), op,
              ": the result of the convolution is ", x.dtype(), " of sizes ", numbers_of(sizes),
              ", the gradient is ", given.dtype(), " of sizes ", numbers_of(given.sizes()));
  const Tensor g = ops::widened(given), in = ops::widened(x), w = ops::widened(weight);
  Tensor of_x, of_weight, of_bias;
  // The gradients of a transposed convolution are those of its adjoint, in which x and g change
  // places.
  if (output_mask[0])
    of_x = transposed ? ops::convolved(g, w, a) : ops::transposed(g, w, a, ops::spatial(x));
  if (output_mask[1])
    of_weight = ops::of_weight(transposed ? g : in, transposed ? in : g, a, weight.sizes());
  if (output_mask[2]) {
    Dims dims{0};
    for (int64_t d = 2; d < g.rank(); ++d) dims.push_back(d);
    of_bias = sum(g, dims);
  }
  const auto rounded = [&](const Tensor& t) { return t.defined() ? to(t, x.dtype()) : t; };
  return {rounded(of_x), rounded(of_weight), rounded(of_bias)};
}

}  // namespace vitro
