// Programs of batch, group and instance norm.
#include "vitro/ops/channel_norm.h"

#include <initializer_list>
#include <string_view>

#include "core/numbers.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/ops/create.h"
#include "vitro/ops/norm.h"
#include "vitro/ops/operators.h"
#include "vitro/ops/view.h"

namespace vitro {
namespace ops {
namespace {

struct Parameter {
  std::string_view name;
  const Tensor& tensor;
};

// Returns the dtype of the parameters, that of x if there are none.
DType check_parameters(std::string_view op, const Tensor& x, Size channels,
                       std::initializer_list<Parameter> parameters) {
  VITRO_CHECK(is_floating(x.dtype()), op, ": takes a tensor of floating-point numbers, got ",
              x.dtype(), "; cast it first");
  const Parameter* first = nullptr;
  for (const Parameter& one : parameters) {
    if (!one.tensor.defined()) continue;
    const DType dtype = one.tensor.dtype(), wide = compute_type(x.dtype());
    VITRO_CHECK(dtype == x.dtype() || dtype == wide, op, ": for x of ", x.dtype(), ' ', one.name,
                " must be ", wide, ", got ", dtype, "; cast it");
    VITRO_CHECK(!first || first->tensor.dtype() == dtype, op, ": dtypes differ: ", first->name,
                " is ", first->tensor.dtype(), ", ", one.name, " is ", dtype, "; cast one of them");
    VITRO_CHECK(one.tensor.rank() == 1 && equal(one.tensor.size(0), channels), op, ": ", one.name,
                " has sizes ", numbers_of(one.tensor.sizes()), ", needs [", channels, "]");
    if (!first) first = &one;
  }
  return first ? first->tensor.dtype() : x.dtype();
}

void check_has_channels(std::string_view op, const Tensor& x) {
  VITRO_CHECK(x.rank() >= 2, op, ": needs x of rank 2 or more, got sizes ", numbers_of(x.sizes()));
}

Tensor widened(const Tensor& x) {
  return to(x, compute_type(x.dtype()));
}

// Whether the channels of images or volumes are adjacent in memory.
bool has_channels_last(const Tensor& x) {
  if (x.rank() != 4 && x.rank() != 5) return false;
  const auto moved = [](Sizes sizes) {
    const Size channels = sizes[1];
    sizes.erase(1);
    sizes.push_back(channels);
    return sizes;
  };
  return attribute::same(moved(x.strides()), contiguous_strides(moved(x.sizes())));
}

// x in the memory format of the result, as in ATen.
Tensor in_format(const Tensor& x) {
  return has_channels_last(x) ? x : contiguous(x);
}

// A parameter [c] as [c, 1, ...], to broadcast over x.
Tensor over_channels(const Tensor& parameter, const Tensor& x) {
  Sizes sizes(static_cast<size_t>(x.rank() - 1), Size(1));
  sizes[0] = parameter.size(0);
  return reshape(parameter, sizes);
}

// The statistics are known, so the factor and the summand of each channel are computed first.
Tensor with_statistics(const Tensor& x, const Tensor& weight, const Tensor& bias,
                       const Tensor& mean, const Tensor& variance, double eps) {
  Tensor scale = rsqrt(widened(variance) + eps);
  if (weight.defined()) scale = scale * widened(weight);
  Tensor shift = -(widened(mean) * scale);
  if (bias.defined()) shift = widened(bias) + shift;
  return to(widened(in_format(x)) * over_channels(scale, x) + over_channels(shift, x), x.dtype());
}

// The mean is subtracted first, which is more precise if it is far from 0.
Tensor with_own_statistics(const Tensor& operand, const Tensor& weight, const Tensor& bias,
                           double eps) {
  const Tensor x = widened(in_format(operand));
  Dims dims;
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (d != 1) dims.push_back(d);
  }
  const auto [variance, mean] = var_mean(x, dims, 0, true);
  Tensor scale = rsqrt(variance + eps);
  if (weight.defined()) scale = scale * over_channels(widened(weight), x);
  Tensor y = (x - mean) * scale;
  if (bias.defined()) y = y + over_channels(widened(bias), x);
  return to(y, operand.dtype());
}

struct Groups {
  Size n, groups, channels, rest;  // of x; channels of one group
};

// Results in the compute type: the normalized x, and the mean and 1 / deviation of each group.
std::tuple<Tensor, Tensor, Tensor> by_groups(const Tensor& operand, const Tensor& weight,
                                             const Tensor& bias, const Groups& sizes, double eps) {
  const auto [n, groups, channels, rest] = sizes;
  const Tensor x = reshape(widened(contiguous(operand)), {n, groups, channels, rest});
  const auto [variance, mean] = var_mean(x, {2, 3}, 0, true);
  const Tensor scale = rsqrt(variance + eps);
  Tensor y = (x - mean) * scale;
  if (weight.defined()) y = y * reshape(widened(weight), {groups, channels, 1});
  if (bias.defined()) y = y + reshape(widened(bias), {groups, channels, 1});
  return {reshape(y, operand.sizes()), mean, scale};
}

Size size_after_channels(const Tensor& x) {
  Size out = 1;
  for (int64_t d = 2; d < x.rank(); ++d) out = out * x.size(d);
  return out;
}

}  // namespace
}  // namespace ops

Tensor batch_norm(ops::At x, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
                  const Tensor& running_var, bool training, double, double eps) {
  const CalledAs name("batch_norm", x.where);
  const Tensor& t = x.operand.tensor();
  const bool none = !running_mean.defined() && !running_var.defined();
  VITRO_CHECK(!training || none,
              "batch_norm: does not update running statistics; needs running_mean=None and "
              "running_var=None if training=True");
  VITRO_CHECK(training || (running_mean.defined() && running_var.defined()),
              "batch_norm: needs running_mean and running_var if training=False");
  ops::check_has_channels("batch_norm", t);
  (void)ops::check_parameters("batch_norm", t, t.size(1),
                              {{"weight", weight},
                               {"bias", bias},
                               {"running_mean", running_mean},
                               {"running_var", running_var}});
  return training ? ops::with_own_statistics(t, weight, bias, eps)
                  : ops::with_statistics(t, weight, bias, running_mean, running_var, eps);
}

std::tuple<Tensor, Tensor, Tensor> native_batch_norm_legit_no_training(
    ops::At x, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
    const Tensor& running_var, double momentum, double eps) {
  const CalledAs name("_native_batch_norm_legit_no_training", x.where);
  const Tensor y = batch_norm(x, weight, bias, running_mean, running_var, false, momentum, eps);
  const Tensor unused = zeros({0}, running_mean.dtype(), y.device(), x.where);
  return {y, unused, unused};
}

std::tuple<Tensor, Tensor, Tensor> native_group_norm(ops::At x, const Tensor& weight,
                                                     const Tensor& bias, Size n, Size c, Size hxw,
                                                     int64_t group, double eps) {
  const CalledAs name("native_group_norm", x.where);
  const Tensor& t = x.operand.tensor();
  VITRO_CHECK(!less(n, 0) && !less(c, 0) && !less(hxw, 0) && equal(t.numel(), n * c * hxw),
              "native_group_norm: needs x of ", number_of(n), " * ", number_of(c), " * ",
              number_of(hxw), " elements, got sizes ", numbers_of(t.sizes()));
  VITRO_CHECK(group > 0 && equal(c % group, 0), "native_group_norm: cannot divide ", number_of(c),
              " channels into ", group, " groups");
  const DType dtype =
      ops::check_parameters("native_group_norm", t, c, {{"weight", weight}, {"bias", bias}});
  const auto [y, mean, scale] = ops::by_groups(t, weight, bias, {n, group, c / group, hxw}, eps);
  const Sizes sizes{n, Size(group)};
  return {to(y, t.dtype()), to(reshape(mean, sizes), dtype), to(reshape(scale, sizes), dtype)};
}

Tensor group_norm(ops::At x, int64_t num_groups, const Tensor& weight, const Tensor& bias,
                  double eps) {
  const CalledAs name("group_norm", x.where);
  const Tensor& t = x.operand.tensor();
  ops::check_has_channels("group_norm", t);
  return std::get<0>(native_group_norm(x, weight, bias, t.size(0), t.size(1),
                                       ops::size_after_channels(t), num_groups, eps));
}

Tensor instance_norm(ops::At x, const Tensor& weight, const Tensor& bias,
                     const Tensor& running_mean, const Tensor& running_var, bool use_input_stats,
                     double momentum, double eps) {
  const CalledAs name("instance_norm", x.where);
  if (!use_input_stats)
    return batch_norm(x, weight, bias, running_mean, running_var, false, momentum, eps);
  const Tensor& t = x.operand.tensor();
  VITRO_CHECK(!running_mean.defined() && !running_var.defined(),
              "instance_norm: does not update running statistics; needs running_mean=None and "
              "running_var=None if use_input_stats=True");
  ops::check_has_channels("instance_norm", t);
  (void)ops::check_parameters("instance_norm", t, t.size(1), {{"weight", weight}, {"bias", bias}});
  const ops::Groups sizes{t.size(0), t.size(1), 1, ops::size_after_channels(t)};
  return to(std::get<0>(ops::by_groups(t, weight, bias, sizes, eps)), t.dtype());
}

}  // namespace vitro
