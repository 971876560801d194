// torch.nn.init: distributions whose parameters follow from the sizes of a weight.
#include <cmath>
#include <numbers>

#include "core/numbers.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/core/interpreter.h"
#include "vitro/nn/init.h"
#include "vitro/ops/all.h"
#include "vitro/ops/rearrange.h"
#include "vitro/ops/special.h"

namespace vitro::nn::init {
namespace {

// The numbers of inputs and outputs of a layer with this weight.
struct Fan {
  double in, out;
};
Fan fan_of(std::string_view function, const Tensor& weight) {
  VITRO_CHECK(weight.rank() >= 2, function, ": needs a tensor of rank 2 or more, got sizes ",
              numbers_of(weight.sizes()));
  const auto size = [&](int64_t d) { return static_cast<double>(weight.size(d).value()); };
  double each = 1;  // the elements of a kernel
  for (int64_t d = 2; d < weight.rank(); ++d) each *= size(d);
  return {size(1) * each, size(0) * each};
}

double xavier_deviation(std::string_view function, const Tensor& weight, double gain) {
  const Fan fan = fan_of(function, weight);
  return gain * std::sqrt(2 / (fan.in + fan.out));
}

double kaiming_deviation(std::string_view function, const Tensor& weight, double a,
                         std::string_view mode, std::string_view nonlinearity) {
  VITRO_CHECK(mode == "fan_in" || mode == "fan_out", function,
              ": mode must be \"fan_in\" or \"fan_out\", got \"", mode, "\"");
  const Fan fan = fan_of(function, weight);
  return calculate_gain(nonlinearity, a) / std::sqrt(mode == "fan_in" ? fan.in : fan.out);
}

// The share of normal numbers that are at most x.
double below(double x) {
  return std::erfc(-x / std::numbers::sqrt2) / 2;
}

// Between -bound and bound, with that deviation.
const Tensor& uniform_with(const Tensor& tensor, double deviation) {
  const double bound = std::sqrt(3.0) * deviation;
  return uniform_(tensor, -bound, bound);
}

bool is_empty(const Tensor& tensor) {
  return known_equal(tensor.numel(), 0);
}

}  // namespace

const Tensor& uniform_(const Tensor& tensor, double a, double b) {
  const NoGrad unrecorded;
  (void)vitro::uniform_(tensor, a, b);
  return tensor;
}

const Tensor& normal_(const Tensor& tensor, double mean, double std) {
  const NoGrad unrecorded;
  (void)vitro::normal_(tensor, mean, std);
  return tensor;
}

const Tensor& trunc_normal_(const Tensor& tensor, double mean, double std, double a, double b) {
  VITRO_CHECK(std > 0 && a < b, "trunc_normal_: needs std > 0 and a < b, got ", std, ", ", a,
              " and ", b);
  const double low = below((a - mean) / std), high = below((b - mean) / std);
  VITRO_CHECK(high > low, "trunc_normal_: there are no numbers between ", a, " and ", b,
              ", so far from the mean ", mean);
  const NoGrad unrecorded;
  // The inverse of the distribution function at uniform numbers, in f64 for the ends.
  const Tensor shares = low + rand(tensor.sizes(), DType::f64, tensor.device()) * (high - low);
  const Tensor numbers = mean + std * std::numbers::sqrt2 * erfinv(shares * 2 - 1);
  return copy_(tensor, clamp(numbers, a, b));
}

const Tensor& constant_(const Tensor& tensor, double value) {
  const NoGrad unrecorded;
  return fill_(tensor, value);
}

const Tensor& ones_(const Tensor& tensor) {
  return constant_(tensor, 1);
}

const Tensor& zeros_(const Tensor& tensor) {
  return constant_(tensor, 0);
}

const Tensor& eye_(const Tensor& tensor) {
  VITRO_CHECK(tensor.rank() == 2, "eye_: needs a matrix, got sizes ", numbers_of(tensor.sizes()));
  const NoGrad unrecorded;
  return copy_(tensor, eye(tensor.size(0), tensor.size(1), tensor.dtype(), tensor.device()));
}

const Tensor& dirac_(const Tensor& tensor, int64_t groups) {
  const int64_t rank = tensor.rank();
  VITRO_CHECK(rank >= 3 && rank <= 5, "dirac_: needs a tensor of rank 3, 4 or 5, got sizes ",
              numbers_of(tensor.sizes()));
  const int64_t rows = tensor.size(0);
  VITRO_CHECK(groups > 0 && rows % groups == 0, "dirac_: ", rows,
              " channels are not a multiple of ", groups, " groups");
  const NoGrad unrecorded;
  zero_(tensor);
  if (is_empty(tensor)) return tensor;
  Tensor middle = tensor;  // the elements [rows, columns] at the middle of the kernel
  for (int64_t d = rank - 1; d >= 2; --d) middle = select(middle, d, tensor.size(d) / 2);
  const int64_t each = rows / groups;
  for (int64_t g = 0; g < groups; ++g) eye_(slice(middle, 0, g * each, (g + 1) * each));
  return tensor;
}

double calculate_gain(std::string_view nonlinearity, std::optional<double> param) {
  constexpr std::string_view linear[] = {"linear",           "conv1d",           "conv2d",
                                         "conv3d",           "conv_transpose1d", "conv_transpose2d",
                                         "conv_transpose3d", "sigmoid"};
  for (const std::string_view name : linear)
    if (nonlinearity == name) return 1;
  if (nonlinearity == "tanh") return 5.0 / 3;
  if (nonlinearity == "relu") return std::numbers::sqrt2;
  if (nonlinearity == "selu") return 3.0 / 4;
  VITRO_CHECK(nonlinearity == "leaky_relu",
              "calculate_gain: needs linear, conv1d to conv3d, conv_transpose1d to "
              "conv_transpose3d, sigmoid, tanh, relu, leaky_relu or selu, got \"",
              nonlinearity, "\"");
  const double slope = param.value_or(0.01);
  return std::sqrt(2 / (1 + slope * slope));
}

const Tensor& xavier_uniform_(const Tensor& tensor, double gain) {
  return uniform_with(tensor, xavier_deviation("xavier_uniform_", tensor, gain));
}

const Tensor& xavier_normal_(const Tensor& tensor, double gain) {
  return normal_(tensor, 0, xavier_deviation("xavier_normal_", tensor, gain));
}

const Tensor& kaiming_uniform_(const Tensor& tensor, double a, std::string_view mode,
                               std::string_view nonlinearity) {
  const double deviation = kaiming_deviation("kaiming_uniform_", tensor, a, mode, nonlinearity);
  return is_empty(tensor) ? tensor : uniform_with(tensor, deviation);
}

const Tensor& kaiming_normal_(const Tensor& tensor, double a, std::string_view mode,
                              std::string_view nonlinearity) {
  const double deviation = kaiming_deviation("kaiming_normal_", tensor, a, mode, nonlinearity);
  return is_empty(tensor) ? tensor : normal_(tensor, 0, deviation);
}

const Tensor& orthogonal_(const Tensor& tensor, double gain) {
  VITRO_CHECK(tensor.rank() >= 2, "orthogonal_: needs a tensor of rank 2 or more, got sizes ",
              numbers_of(tensor.sizes()));
  if (is_empty(tensor)) return tensor;
  const NoGrad unrecorded;
  const int64_t rows = tensor.size(0), columns = tensor.numel().value() / rows;
  Tensor numbers = vitro::randn({rows, columns}, tensor.dtype(), tensor.device());
  if (rows < columns) numbers = t(numbers);
  const auto [q, r] = linalg_qr(numbers);
  // With these signs q is distributed uniformly (Mezzadri, 2007).
  Tensor made = q * sign(diagonal(r));
  if (rows < columns) made = t(made);
  return copy_(tensor, reshape(made, tensor.sizes()) * gain);
}

const Tensor& sparse_(const Tensor& tensor, double sparsity, double std) {
  VITRO_CHECK(tensor.rank() == 2, "sparse_: needs a matrix, got sizes ",
              numbers_of(tensor.sizes()));
  VITRO_CHECK(sparsity >= 0 && sparsity <= 1, "sparse_: needs a sparsity in [0, 1], got ",
              sparsity);
  normal_(tensor, 0, std);
  const NoGrad unrecorded;
  const int64_t rows = tensor.size(0), columns = tensor.size(1);
  const auto zeros = static_cast<int64_t>(std::ceil(sparsity * static_cast<double>(rows)));
  for (int64_t c = 0; c < columns; ++c) {
    const Tensor chosen = slice(randperm(rows, DType::i64, tensor.device()), 0, 0, zeros);
    (void)index_put_(select(tensor, 1, c), {chosen}, zeros_like(chosen, tensor.dtype()));
  }
  return tensor;
}

}  // namespace vitro::nn::init
