// Normalization by channels, dimension 1 of x [n, c, ...], and by root mean squares: functions
// written with other ops, so that their loops fuse. f16 and bf16 are computed in f32.
//   Tensor y = batch_norm(x, weight, bias, mean, variance, false, 0.1, 1e-5);
//   Tensor z = group_norm(x, 8, weight, bias);
// Parameters of channels have one element each and share one dtype: that of x, or f32 if x is f16
// or bf16. `weight` and `bias` are optional.
#pragma once

#include <optional>
#include <tuple>

#include "vitro/ops/define.h"

namespace vitro {

// (x - mean) / deviation for each channel, times weight, plus bias: with the running statistics, or
// if `training` with those of x. Then the running statistics, if there are any, are updated in
// place: (1 - momentum) * running + momentum * that of x, where the variance is over count - 1.
Tensor batch_norm(ops::At x, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
                  const Tensor& running_var, bool training, double momentum, double eps);
// batch_norm, and the mean and 1 / deviation of x; these are without elements unless `training`.
// x must have elements.
std::tuple<Tensor, Tensor, Tensor> native_batch_norm(ops::At x, const Tensor& weight,
                                                     const Tensor& bias, const Tensor& running_mean,
                                                     const Tensor& running_var, bool training,
                                                     double momentum, double eps);
// The same; returns the running statistics instead of updating them.
std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> native_batch_norm_legit_functional(
    ops::At x, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
    const Tensor& running_var, bool training, double momentum, double eps);
// native_batch_norm without training.
std::tuple<Tensor, Tensor, Tensor> native_batch_norm_legit_no_training(
    ops::At x, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
    const Tensor& running_var, double momentum, double eps);

// (x - mean) / deviation over groups of channels, times weight, plus bias.
Tensor group_norm(ops::At x, int64_t num_groups, const Tensor& weight = {}, const Tensor& bias = {},
                  double eps = 1e-5);
// The same of x with n * c * hxw elements in this order, and the mean and 1 / deviation [n, group].
std::tuple<Tensor, Tensor, Tensor> native_group_norm(ops::At x, const Tensor& weight,
                                                     const Tensor& bias, Size n, Size c, Size hxw,
                                                     int64_t group, double eps);

// group_norm with one group per channel, which updates running statistics like batch_norm, with the
// means over the batch; or, unless `use_input_stats`, batch_norm with the running statistics.
Tensor instance_norm(ops::At x, const Tensor& weight, const Tensor& bias,
                     const Tensor& running_mean, const Tensor& running_var, bool use_input_stats,
                     double momentum, double eps);

// x / the root of its mean square over the last dimensions, times `weight`. The default of `eps` is
// the epsilon of the compute type of x.
Tensor rms_norm(ops::At x, SizesArg normalized_shape, const Tensor& weight = {},
                std::optional<double> eps = {});

}  // namespace vitro
