// The gradients of layer, group and batch norm by ATen's names.
#include "vitro/ops/norm_backward.h"

#include "core/numbers.h"
#include "ops/memory_format.h"
#include "ops/norms.h"
#include "ops/wide.h"
#include "vitro/base/called_as.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/ops/channel_norm.h"
#include "vitro/ops/create.h"
#include "vitro/ops/operators.h"
#include "vitro/ops/reduce.h"
#include "vitro/ops/shapes.h"
#include "vitro/ops/view.h"

namespace vitro {
namespace ops {

Tensor through_norm(const Tensor& h, const Tensor& n, const Tensor& scale, const Dims& dims) {
  return scale * (h - mean(h, dims, true) - n * mean(h * n, dims, true));
}

namespace {

using Mask = std::array<bool, 3>;
using Three = std::tuple<Tensor, Tensor, Tensor>;

void check_mask(std::string_view op, const Mask& mask, bool weight, bool bias) {
  VITRO_CHECK(!mask[1] || weight, op, ": output_mask wants the gradient of weight, which is None");
  VITRO_CHECK(!mask[2] || bias, op, ": output_mask wants the gradient of bias, which is None");
}

void check_gradient(std::string_view op, const Tensor& g, const Tensor& x) {
  VITRO_CHECK(is_floating(x.dtype()), op, ": takes a tensor of floating-point numbers, got ",
              x.dtype(), "; cast it first");
  VITRO_CHECK(g.dtype() == x.dtype() && equal_sizes(g.sizes(), x.sizes()), op,
              ": the gradient must be ", x.dtype(), " of sizes ", numbers_of(x.sizes()),
              " as x is, got ", g.dtype(), " of sizes ", numbers_of(g.sizes()));
}

void check_sizes(std::string_view op, std::string_view what, const Tensor& t, const Sizes& sizes) {
  VITRO_CHECK(t.defined() && equal_sizes(t.sizes(), sizes), op, ": ", what, " needs sizes ",
              numbers_of(sizes), ", got ", t.defined() ? cat(numbers_of(t.sizes())) : "None");
}

// x under a norm, in the compute type, and the gradient of its result. Sizes of the statistics and
// the weight broadcast over it.
struct Norm {
  Tensor x, g, mean, scale, weight;
  Dims statistics;  // dimensions over which the statistics are; none: they do not depend on x
  Dims parameters;  // and those that a parameter does not have

  Three gradients(const Mask& mask) const {
    const Tensor n = (x - mean) * scale;
    Tensor of_x, of_weight, of_bias;
    if (mask[0]) {
      const Tensor h = weight.defined() ? g * weight : g;
      of_x = statistics.empty() ? h * scale : through_norm(h, n, scale, statistics);
    }
    const auto of_parameter = [&](const Tensor& t) {
      return parameters.empty() ? t : sum(t, parameters);
    };
    if (mask[1]) of_weight = of_parameter(g * n);
    if (mask[2]) of_bias = of_parameter(g);
    return {of_x, of_weight, of_bias};
  }
};

// The gradients with the sizes and dtypes of what they belong to.
Three finished(const Three& all, const Tensor& x, const Sizes& parameter, DType dtype) {
  const auto& [of_x, of_weight, of_bias] = all;
  const auto shaped = [&](const Tensor& t) {
    return t.defined() ? to(reshape(t, parameter), dtype) : t;
  };
  if (!of_x.defined()) return {of_x, shaped(of_weight), shaped(of_bias)};
  const Tensor y = to(reshape(of_x, x.sizes()), x.dtype());
  return {has_channels_last(x) ? with_channels_last(y) : contiguous(y), shaped(of_weight),
          shaped(of_bias)};
}

}  // namespace
}  // namespace ops

std::tuple<Tensor, Tensor, Tensor> native_layer_norm_backward(
    ops::At grad_out, const Tensor& x, SizesArg normalized_shape, const Tensor& mean,
    const Tensor& rstd, const Tensor& weight, const Tensor& bias, std::array<bool, 3> output_mask) {
  constexpr std::string_view op = "native_layer_norm_backward";
  const CalledAs name(op, grad_out.where);
  const Tensor& g = grad_out.operand.tensor();
  const Sizes shape = normalized_shape;
  ops::check_gradient(op, g, x);
  ops::check_mask(op, output_mask, weight.defined(), bias.defined());
  const size_t first = ops::first_normalized(op, x.sizes(), shape);
  Sizes statistics = x.sizes();
  ops::Norm norm{ops::widened(x), ops::widened(g), {}, {}, {}, {}, {}};
  for (size_t d = 0; d < statistics.size(); ++d) {
    if (d >= first) statistics[d] = 1;
    (d < first ? norm.parameters : norm.statistics).push_back(static_cast<int64_t>(d));
  }
  ops::check_sizes(op, "mean", mean, statistics);
  ops::check_sizes(op, "rstd", rstd, statistics);
  if (weight.defined()) ops::check_sizes(op, "weight", weight, shape);
  norm.mean = ops::widened(mean), norm.scale = ops::widened(rstd);
  if (weight.defined()) norm.weight = ops::widened(weight);
  const DType dtype = weight.defined() ? weight.dtype() : bias.defined() ? bias.dtype() : x.dtype();
  return ops::finished(norm.gradients(output_mask), x, shape, dtype);
}

std::tuple<Tensor, Tensor, Tensor> native_group_norm_backward(
    ops::At grad_out, const Tensor& x, const Tensor& mean, const Tensor& rstd, const Tensor& weight,
    Size n, Size c, Size hxw, int64_t group, std::array<bool, 3> output_mask) {
  constexpr std::string_view op = "native_group_norm_backward";
  const CalledAs name(op, grad_out.where);
  const Tensor& g = grad_out.operand.tensor();
  ops::check_gradient(op, g, x);
  ops::check_groups(op, x, n, c, hxw, group);
  VITRO_CHECK(weight.defined() || (!output_mask[1] && !output_mask[2]), op,
              ": output_mask wants the gradients of parameters, but weight is None");
  const DType dtype = ops::check_parameters(op, x, c, {{"weight", weight}});
  ops::check_sizes(op, "mean", mean, {n, Size(group)});
  ops::check_sizes(op, "rstd", rstd, {n, Size(group)});
  const Sizes split{n, Size(group), c / group, hxw}, each{n, Size(group), 1, 1};
  ops::Norm norm{reshape(ops::widened(x), split),
                 reshape(ops::widened(g), split),
                 reshape(ops::widened(mean), each),
                 reshape(ops::widened(rstd), each),
                 {},
                 {2, 3},
                 {0, 3}};
  if (weight.defined()) norm.weight = reshape(ops::widened(weight), {1, Size(group), c / group, 1});
  return ops::finished(norm.gradients(output_mask), x, {c}, dtype);
}

std::tuple<Tensor, Tensor, Tensor> native_batch_norm_backward(
    ops::At grad_out, const Tensor& x, const Tensor& weight, const Tensor& running_mean,
    const Tensor& running_var, const Tensor& save_mean, const Tensor& save_invstd, bool train,
    double eps, std::array<bool, 3> output_mask) {
  constexpr std::string_view op = "native_batch_norm_backward";
  const CalledAs name(op, grad_out.where);
  const Tensor& g = grad_out.operand.tensor();
  ops::check_gradient(op, g, x);
  ops::check_has_channels(op, x);
  const Tensor &mean = train ? save_mean : running_mean,
               &spread = train ? save_invstd : running_var;
  const std::string_view names[] = {train ? "save_mean" : "running_mean",
                                    train ? "save_invstd" : "running_var"};
  VITRO_CHECK(mean.defined() && spread.defined(), op, ": needs ", names[0], " and ", names[1],
              " if train=", train ? "True" : "False");
  const DType dtype = ops::check_parameters(
      op, x, x.size(1), {{"weight", weight}, {names[0], mean}, {names[1], spread}});
  const auto over = [&](const Tensor& t) { return ops::over_channels(ops::widened(t), x); };
  ops::Norm norm{ops::widened(x), ops::widened(g), over(mean), over(spread), {}, {}, {}};
  if (!train) norm.scale = rsqrt(norm.scale + eps);
  if (weight.defined()) norm.weight = over(weight);
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (d != 1) norm.parameters.push_back(d);
  }
  if (train) norm.statistics = norm.parameters;
  return ops::finished(norm.gradients(output_mask), x, {x.size(1)}, dtype);
}

}  // namespace vitro
