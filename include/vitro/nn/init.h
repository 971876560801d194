// Initial values of parameters, from the process's generator (manual_seed): the same seed gives the
// same model.
//   nn::init::kaiming_normal_(conv.weight, 0, "fan_out", "relu");
#pragma once

#include <optional>
#include <string_view>

#include "vitro/core/attributes.h"
#include "vitro/core/tensor.h"

namespace vitro::nn {

// f32 tensors, filled in row-major order.
Tensor uniform(DimsArg sizes, double low, double high);
Tensor normal(DimsArg sizes, double mean = 0, double deviation = 1);
Tensor constant(DimsArg sizes, double value);

// torch.nn.init: values written into a tensor, which is returned. No gradients are recorded.
namespace init {

const Tensor& uniform_(const Tensor& tensor, double a = 0, double b = 1);
const Tensor& normal_(const Tensor& tensor, double mean = 0, double std = 1);
// Normal numbers within [a, b].
const Tensor& trunc_normal_(const Tensor& tensor, double mean = 0, double std = 1, double a = -2,
                            double b = 2);
const Tensor& constant_(const Tensor& tensor, double value);
const Tensor& ones_(const Tensor& tensor);
const Tensor& zeros_(const Tensor& tensor);
// The identity, of a matrix; for convolutions, whose weights have rank 3, 4 or 5, what leaves each
// channel as it is, in each group.
const Tensor& eye_(const Tensor& tensor);
const Tensor& dirac_(const Tensor& tensor, int64_t groups = 1);

// What keeps the variance of values from layer to layer for an activation function: "linear",
// "conv1d" and so on, "sigmoid", "tanh", "relu", "leaky_relu" (`param` is its slope, by default
// 0.01), "selu".
double calculate_gain(std::string_view nonlinearity, std::optional<double> param = {});

// With a variance that depends on the numbers of inputs and outputs of a layer (fan in, fan out):
// the sizes of dimensions 1 and 0, times those of the others (Glorot and Bengio, 2010; He et al.,
// 2015). `mode` is "fan_in" or "fan_out"; `a` is the slope of "leaky_relu".
const Tensor& xavier_uniform_(const Tensor& tensor, double gain = 1);
const Tensor& xavier_normal_(const Tensor& tensor, double gain = 1);
const Tensor& kaiming_uniform_(const Tensor& tensor, double a = 0, std::string_view mode = "fan_in",
                               std::string_view nonlinearity = "leaky_relu");
const Tensor& kaiming_normal_(const Tensor& tensor, double a = 0, std::string_view mode = "fan_in",
                              std::string_view nonlinearity = "leaky_relu");

// Rows, or columns if there are fewer, that are orthogonal to each other and of length `gain`; the
// dimensions after the first count as one. Calls LAPACK (ops/decomposition.h).
const Tensor& orthogonal_(const Tensor& tensor, double gain = 1);
// A matrix of normal numbers, of which a share of each column, chosen at random, is 0.
const Tensor& sparse_(const Tensor& tensor, double sparsity, double std = 0.01);

}  // namespace init
}  // namespace vitro::nn
