// Programs of group and instance norm, and what they share with batch norm.
#include "vitro/ops/channel_norm.h"

#include "core/numbers.h"
#include "ops/memory_format.h"
#include "ops/norms.h"
#include "ops/wide.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/core/interpreter.h"
#include "vitro/core/region.h"
#include "vitro/ops/create.h"
#include "vitro/ops/norm.h"
#include "vitro/ops/operators.h"
#include "vitro/ops/reduce.h"
#include "vitro/ops/view.h"

namespace vitro {
namespace ops {

DType check_parameters(std::string_view op, const Tensor& x, Size channels,
                       std::initializer_list<ChannelParameter> parameters) {
  VITRO_CHECK(is_floating(x.dtype()), op, ": takes a tensor of floating-point numbers, got ",
              x.dtype(), "; cast it first");
  const ChannelParameter* first = nullptr;
  for (const ChannelParameter& one : parameters) {
    if (!one.tensor.defined()) continue;
    const DType dtype = one.tensor.dtype(), wide = compute_type(x.dtype());
    VITRO_CHECK(dtype == x.dtype() || dtype == wide, op, ": for x of ", x.dtype(), ' ', one.name,
                " must be ", wide, ", got ", dtype, "; cast it");
    VITRO_CHECK(!first || first->tensor.dtype() == dtype, op, ": dtypes differ: ", first->name,
                " is ", first->tensor.dtype(), ", ", one.name, " is ", dtype, "; cast one of them");
    VITRO_CHECK(one.tensor.rank() == 1 && equal(one.tensor.size(0), channels), op, ": ", one.name,
                " has sizes ", numbers_of(one.tensor.sizes()), ", needs [", number_of(channels),
                "]");
    if (!first) first = &one;
  }
  return first ? first->tensor.dtype() : x.dtype();
}

void check_has_channels(std::string_view op, const Tensor& x) {
  VITRO_CHECK(x.rank() >= 2, op, ": needs x of rank 2 or more, got sizes ", numbers_of(x.sizes()));
}

void check_running(std::string_view op, const Tensor& running_mean, const Tensor& running_var) {
  VITRO_CHECK(running_mean.defined() == running_var.defined(), op,
              ": needs both running_mean and running_var, or neither");
}

Tensor over_channels(const Tensor& parameter, const Tensor& x) {
  Sizes sizes(static_cast<size_t>(x.rank() - 1), Size(1));
  sizes[0] = parameter.size(0);
  return reshape(parameter, sizes);
}

void check_groups(std::string_view op, const Tensor& x, Size n, Size c, Size hxw, int64_t groups) {
  VITRO_CHECK(!less(n, 0) && !less(c, 0) && !less(hxw, 0) && equal(x.numel(), n * c * hxw), op,
              ": needs x of ", number_of(n), " * ", number_of(c), " * ", number_of(hxw),
              " elements, got sizes ", numbers_of(x.sizes()));
  VITRO_CHECK(groups > 0 && equal(c % groups, 0), op, ": cannot divide ", number_of(c),
              " channels into ", groups, " groups");
}

namespace {

Size size_after_channels(const Tensor& x) {
  Size out = 1;
  for (int64_t d = 2; d < x.rank(); ++d) out = out * x.size(d);
  return out;
}

struct Groups {
  Size n, groups, channels, rest;  // of x; channels of one group
};

// Of x: [n, groups, channels, ...], which is a view.
Tensor in_groups(const Tensor& x, const Groups& of) {
  Sizes sizes{of.n, of.groups, of.channels};
  for (int64_t d = 2; d < x.rank(); ++d) sizes.push_back(x.size(d));
  return view(x, sizes);
}
// Undoes it, for channels last: a view of [n, ..., groups, channels] has the strides of a new
// tensor, also where a size is 1.
Tensor out_of_groups(const Tensor& y, const Sizes& sizes) {
  Dims innermost{0}, second{0, y.rank() - 2};
  Sizes whole{sizes[0]};
  for (int64_t d = 3; d < y.rank(); ++d) {
    innermost.push_back(d);
    second.push_back(d - 2);
    whole.push_back(sizes[static_cast<size_t>(d - 1)]);
  }
  innermost.push_back(1);
  innermost.push_back(2);
  whole.push_back(sizes[1]);
  return permute(view(permute(y, innermost), whole), second);
}

// Variance and mean over the dimensions after the groups. Several channels are reduced one by one
// first: the elements of one are swept in the same order in every memory format.
std::pair<Tensor, Tensor> moments(const Tensor& x, Size channels) {
  Dims of_channel, all{2};
  for (int64_t d = 3; d < x.rank(); ++d) {
    of_channel.push_back(d);
    all.push_back(d);
  }
  if (known_equal(channels, 1)) {
    const auto [variance, mean] = var_mean(x, all, 0, true);
    return {variance, mean};
  }
  const auto over_group = [&](const Tensor& elements) {
    return vitro::mean(vitro::mean(elements, of_channel, true), {2}, true);
  };
  const Tensor mean = over_group(x);
  return {over_group(square(x - mean)), mean};
}

// The normalized x, and statistics in the compute type, [n, groups].
struct Normalized {
  Tensor y, mean, scale, variance;
};
Normalized by_groups(const Tensor& operand, const Tensor& weight, const Tensor& bias,
                     const Groups& sizes, double eps) {
  const bool has_dimensions = operand.rank() > 2 && known_equal(operand.size(0), sizes.n) &&
                              known_equal(operand.size(1), sizes.groups * sizes.channels);
  // A compiled function chooses how values lie; ops one at a time are fastest on rows.
  const bool as_it_lies = has_dimensions && thread_state.top && has_channels_last(operand) &&
                          !known_equal(operand.size(1), 1);
  const Tensor wide = widened(as_it_lies ? operand : contiguous(operand));
  const Tensor x = has_dimensions
                       ? in_groups(wide, sizes)
                       : reshape(wide, {sizes.n, sizes.groups, sizes.channels, sizes.rest});
  const auto [variance, mean] = moments(x, sizes.channels);
  const Tensor scale = rsqrt(variance + eps);
  Tensor y = (x - mean) * scale;
  Sizes of_parameter(static_cast<size_t>(x.rank() - 1), Size(1));
  of_parameter[0] = sizes.groups;
  of_parameter[1] = sizes.channels;
  if (weight.defined()) y = y * reshape(widened(weight), of_parameter);
  if (bias.defined()) y = y + reshape(widened(bias), of_parameter);
  y = as_it_lies ? out_of_groups(y, operand.sizes())
                 : in_format_of(operand, reshape(y, operand.sizes()));
  const auto by_group = [&](const Tensor& t) { return reshape(t, {sizes.n, sizes.groups}); };
  return {to(y, operand.dtype()), by_group(mean), by_group(scale), by_group(variance)};
}

// The mean over the batch of statistics [n, c].
Tensor over_batch(const Tensor& statistics) {
  return mean(statistics, {0});
}

}  // namespace
}  // namespace ops

std::tuple<Tensor, Tensor, Tensor> native_group_norm(ops::At x, const Tensor& weight,
                                                     const Tensor& bias, Size n, Size c, Size hxw,
                                                     int64_t group, double eps) {
  const CalledAs name("native_group_norm", x.where);
  const Tensor& t = x.operand.tensor();
  ops::check_groups("native_group_norm", t, n, c, hxw, group);
  const DType dtype =
      ops::check_parameters("native_group_norm", t, c, {{"weight", weight}, {"bias", bias}});
  const auto all = ops::by_groups(t, weight, bias, {n, group, c / group, hxw}, eps);
  return {all.y, to(all.mean, dtype), to(all.scale, dtype)};
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
  constexpr std::string_view op = "instance_norm";
  const CalledAs name(op, x.where);
  if (!use_input_stats)
    return batch_norm(x, weight, bias, running_mean, running_var, false, momentum, eps);
  const Tensor& t = x.operand.tensor();
  ops::check_has_channels(op, t);
  ops::check_running(op, running_mean, running_var);
  (void)ops::check_parameters(op, t, t.size(1),
                              {{"weight", weight},
                               {"bias", bias},
                               {"running_mean", running_mean},
                               {"running_var", running_var}});
  return region(op, {&t, &weight, &bias, &running_mean, &running_var}, [&] {
    const Size count = ops::size_after_channels(t);
    const auto all = ops::by_groups(t, weight, bias, {t.size(0), t.size(1), 1, count}, eps);
    if (running_mean.defined()) {
      const NoGrad of_statistics;
      const Tensor variance = ops::over_batch(all.variance) * count / (count - 1);
      copy_(running_mean, ops::updated(running_mean, ops::over_batch(all.mean), momentum), x.where);
      copy_(running_var, ops::updated(running_var, variance, momentum), x.where);
    }
    return all.y;
  });
}

}  // namespace vitro
