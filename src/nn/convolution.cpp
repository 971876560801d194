// Convolutions: their weights, and the borders that they add to what they get.
#include "vitro/nn/convolution.h"

#include <cmath>

#include "ops/convolve.h"
#include "vitro/base/called_as.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/nn/init.h"
#include "vitro/ops/all.h"

namespace vitro::nn {
namespace {

// The number for dimension d, where one number is for all.
int64_t number_of(const DimsArg& numbers, size_t d) {
  return numbers[numbers.size() == 1 ? 0 : d];
}

// The sizes of weights, [rows, columns, kernel sizes...].
Dims sizes_of_weight(std::string_view layer, int rank, int64_t rows, int64_t columns,
                     const DimsArg& kernel) {
  const auto dims = static_cast<size_t>(rank);
  VITRO_CHECK(kernel.size() == 1 || kernel.size() == dims, layer, ": kernel needs one number or ",
              rank, ", got ", kernel);
  Dims sizes{rows, columns};
  for (size_t d = 0; d < dims; ++d) sizes.push_back(number_of(kernel, d));
  return sizes;
}

// Initial values lie between -bound and bound.
double bound_of(const Dims& weight) {
  int64_t terms = 1;
  for (size_t d = 1; d < weight.size(); ++d) terms *= weight[d];
  return terms > 0 ? 1 / std::sqrt(static_cast<double>(terms)) : 0;
}

void check_groups(std::string_view layer, int64_t in, int64_t out, int64_t groups) {
  VITRO_CHECK(groups > 0 && in % groups == 0 && out % groups == 0, layer, ": ", in, " and ", out,
              " channels are not multiples of ", groups, " groups");
}

using ConvFunction = Tensor (*)(ops::At, const Tensor&, const Tensor&, const ops::ConvAttrs&);
constexpr ConvFunction convs[] = {&conv1d, &conv2d, &conv3d};
using ConvTransposeFunction = Tensor (*)(ops::At, const Tensor&, const Tensor&,
                                         const ops::ConvTransposeAttrs&);
constexpr ConvTransposeFunction transposed_convs[] = {&conv_transpose1d, &conv_transpose2d,
                                                      &conv_transpose3d};

// The border that a convolution adds to x, as the argument of pad(): from the last dimension on.
Sizes border_of(std::string_view op, const Tensor& weight, const ops::ConvAttrs& attrs) {
  const ops::ConvolveAttrs a = ops::attrs_of(op, weight, attrs);
  Sizes border;
  for (size_t d = a.padding.size(); d-- > 0;) {
    border.push_back(a.padding[d]);
    border.push_back(a.padding_after[d]);
  }
  return border;
}

}  // namespace

ConvNd::ConvNd(int rank, Module& owner, std::string name, int64_t in, int64_t out, DimsArg kernel,
               ops::ConvAttrs attrs, bool with_bias, PaddingMode mode)
    : Module(owner, std::move(name), cat("Conv", rank, 'd')),
      rank_(rank),
      attrs_(std::move(attrs)),
      mode_(mode) {
  check_groups(kind(), in, out, attrs_.groups);
  const Dims sizes = sizes_of_weight(kind(), rank, out, in / attrs_.groups, kernel);
  const double bound = bound_of(sizes);
  add_parameter("weight", weight, uniform(sizes, -bound, bound));
  if (with_bias) add_parameter("bias", bias, uniform({out}, -bound, bound));
}

Tensor ConvNd::operator()(ops::At x) const {
  return forward(x, [&](const ops::At& in) {
    const ConvFunction conv = convs[rank_ - 1];
    if (mode_ == PaddingMode::zeros) return conv(in, weight, bias, attrs_);
    constexpr std::string_view modes[] = {"constant", "reflect", "replicate", "circular"};
    constexpr std::string_view names[] = {"conv1d", "conv2d", "conv3d"};
    const std::string_view op = names[rank_ - 1];
    const CalledAs name(op, in.where);
    const Tensor bordered =
        pad(in, border_of(op, weight, attrs_), modes[static_cast<size_t>(mode_)]);
    return conv({bordered, in.where}, weight, bias,
                {attrs_.stride, 0, attrs_.dilation, attrs_.groups});
  });
}

ConvTransposeNd::ConvTransposeNd(int rank, Module& owner, std::string name, int64_t in, int64_t out,
                                 DimsArg kernel, ops::ConvTransposeAttrs attrs, bool with_bias)
    : Module(owner, std::move(name), cat("ConvTranspose", rank, 'd')),
      rank_(rank),
      attrs_(std::move(attrs)) {
  check_groups(kind(), in, out, attrs_.groups);
  const Dims sizes = sizes_of_weight(kind(), rank, in, out / attrs_.groups, kernel);
  const double bound = bound_of(sizes);
  add_parameter("weight", weight, uniform(sizes, -bound, bound));
  if (with_bias) add_parameter("bias", bias, uniform({out}, -bound, bound));
}

Tensor ConvTransposeNd::operator()(ops::At x) const {
  return forward(
      x, [&](const ops::At& in) { return transposed_convs[rank_ - 1](in, weight, bias, attrs_); });
}

}  // namespace vitro::nn
