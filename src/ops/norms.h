// What norms and their gradients share.
#pragma once

#include <initializer_list>
#include <string_view>
#include <utility>

#include "vitro/core/op.h"
#include "vitro/core/tensor.h"

namespace vitro::ops {

// ---- layer norm, over the last dimensions ----

// The first of the last dimensions of `sizes`, which must be `shape`. Error of `op` otherwise.
size_t first_normalized(std::string_view op, const Sizes& sizes, const Sizes& shape);

// ---- deviations ----

// The standard deviation of x, in its compute type, over `dims`, and the mean.
std::pair<Tensor, Tensor> std_mean_of(const Tensor& x, const Dims& dims, double correction,
                                      bool keepdim);

// ---- norms with parameters that have one element for each channel, dimension 1 of x ----

struct ChannelParameter {
  std::string_view name;
  const Tensor& tensor;  // may be undefined
};
// Returns the dtype of the parameters, that of x if there are none. Error of `op` unless they have
// `channels` elements and share a dtype: that of x, or f32 if x is f16 or bf16.
DType check_parameters(std::string_view op, const Tensor& x, Size channels,
                       std::initializer_list<ChannelParameter> parameters);
// Error of `op` if x has no dimension 1.
void check_has_channels(std::string_view op, const Tensor& x);
// Error of `op` if there is one running statistic without the other.
void check_running(std::string_view op, const Tensor& running_mean, const Tensor& running_var);
// Error of `op` unless x has n * c * hxw elements, whose c channels are groups of equal size.
void check_groups(std::string_view op, const Tensor& x, Size n, Size c, Size hxw, int64_t groups);

// A parameter [c] as [c, 1, ...], to broadcast over x.
Tensor over_channels(const Tensor& parameter, const Tensor& x);
// A running statistic after a batch.
Tensor updated(const Tensor& running, const Tensor& of_batch, double momentum);

// ---- gradients ----

// The gradient of x, from h, that of n = (x - mean) * scale, where mean and scale = 1 / deviation
// are those of x over `dims`.
Tensor through_norm(const Tensor& h, const Tensor& n, const Tensor& scale, const Dims& dims);

}  // namespace vitro::ops
