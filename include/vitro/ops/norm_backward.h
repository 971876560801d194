// The gradients of norms by ATen's names: of x, weight and bias, from that of the result and the
// statistics that the forward call returned. Undefined where `output_mask` is false. Formulas of
// ops do not call them.
#pragma once

#include <array>
#include <tuple>

#include "vitro/ops/define.h"

namespace vitro {

std::tuple<Tensor, Tensor, Tensor> native_layer_norm_backward(
    ops::At grad_out, const Tensor& x, SizesArg normalized_shape, const Tensor& mean,
    const Tensor& rstd, const Tensor& weight, const Tensor& bias, std::array<bool, 3> output_mask);
// The sizes are those of native_group_norm.
std::tuple<Tensor, Tensor, Tensor> native_group_norm_backward(
    ops::At grad_out, const Tensor& x, const Tensor& mean, const Tensor& rstd, const Tensor& weight,
    Size n, Size c, Size hxw, int64_t group, std::array<bool, 3> output_mask);
// With the saved statistics if `train`, else with the running ones.
std::tuple<Tensor, Tensor, Tensor> native_batch_norm_backward(
    ops::At grad_out, const Tensor& x, const Tensor& weight, const Tensor& running_mean,
    const Tensor& running_var, const Tensor& save_mean, const Tensor& save_invstd, bool train,
    double eps, std::array<bool, 3> output_mask);

}  // namespace vitro
