// Layers: the initial values of their parameters, and the functions that they call.
#include "vitro/nn/layers.h"

#include <cmath>

#include "core/numbers.h"
#include "ops/convolve.h"
#include "vitro/base/called_as.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/nn/init.h"
#include "vitro/ops/all.h"

namespace vitro::nn {

Linear::Linear(Module& owner, std::string name, int64_t in, int64_t out, bool with_bias)
    : Module(owner, std::move(name)) {
  const double bound = 1 / std::sqrt(static_cast<double>(in));
  add_parameter("weight", weight, uniform({out, in}, -bound, bound));
  if (with_bias) add_parameter("bias", bias, uniform({out}, -bound, bound));
}

Tensor Linear::operator()(ops::At x) const {
  const ModuleScope here = scope();
  return linear(x, weight, bias);
}

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
  return 1 / std::sqrt(static_cast<double>(terms));
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
Sizes border_of(const Tensor& weight, const ops::ConvAttrs& attrs) {
  Sizes pad;
  for (size_t d = weight.sizes().size() - 2; d-- > 0;) {
    if (attrs.padding.word.empty()) {
      pad.push_back(number_of(attrs.padding.numbers, d));
      pad.push_back(pad.back());
      continue;
    }
    const bool same = attrs.padding.word == "same";
    const auto [before, after] =
        same ? ops::same_padding(weight.sizes()[d + 2], number_of(attrs.dilation, d))
             : ops::SamePadding{0, 0};
    pad.push_back(before);
    pad.push_back(after);
  }
  return pad;
}

}  // namespace

ConvNd::ConvNd(int rank, Module& owner, std::string name, int64_t in, int64_t out, DimsArg kernel,
               ops::ConvAttrs attrs, bool with_bias, PaddingMode mode)
    : Module(owner, std::move(name)), rank_(rank), attrs_(std::move(attrs)), mode_(mode) {
  const std::string layer = cat("Conv", rank, 'd');
  check_groups(layer, in, out, attrs_.groups);
  const Dims sizes = sizes_of_weight(layer, rank, out, in / attrs_.groups, kernel);
  const double bound = bound_of(sizes);
  add_parameter("weight", weight, uniform(sizes, -bound, bound));
  if (with_bias) add_parameter("bias", bias, uniform({out}, -bound, bound));
}

Tensor ConvNd::operator()(ops::At x) const {
  const ModuleScope here = scope();
  const ConvFunction conv = convs[rank_ - 1];
  if (mode_ == PaddingMode::zeros) return conv(x, weight, bias, attrs_);
  constexpr std::string_view modes[] = {"constant", "reflect", "replicate", "circular"};
  const Tensor bordered = pad(x, border_of(weight, attrs_), modes[static_cast<size_t>(mode_)]);
  return conv({bordered, x.where}, weight, bias,
              {attrs_.stride, 0, attrs_.dilation, attrs_.groups});
}

ConvTransposeNd::ConvTransposeNd(int rank, Module& owner, std::string name, int64_t in, int64_t out,
                                 DimsArg kernel, ops::ConvTransposeAttrs attrs, bool with_bias)
    : Module(owner, std::move(name)), rank_(rank), attrs_(std::move(attrs)) {
  const std::string layer = cat("ConvTranspose", rank, 'd');
  check_groups(layer, in, out, attrs_.groups);
  const Dims sizes = sizes_of_weight(layer, rank, in, out / attrs_.groups, kernel);
  const double bound = bound_of(sizes);
  add_parameter("weight", weight, uniform(sizes, -bound, bound));
  if (with_bias) add_parameter("bias", bias, uniform({out}, -bound, bound));
}

Tensor ConvTransposeNd::operator()(ops::At x) const {
  const ModuleScope here = scope();
  return transposed_convs[rank_ - 1](x, weight, bias, attrs_);
}

Embedding::Embedding(Module& owner, std::string name, int64_t count, int64_t width)
    : Module(owner, std::move(name)) {
  add_parameter("weight", weight, normal({count, width}, 0, 1));
}

Tensor Embedding::operator()(ops::At indices) const {
  const ModuleScope here = scope();
  return embedding(ops::At(weight, indices.where), indices.operand.tensor());
}

LayerNorm::LayerNorm(Module& owner, std::string name, int64_t width, double eps)
    : Module(owner, std::move(name)), width_(width), eps_(eps) {
  add_parameter("weight", weight, constant({width}, 1));
  add_parameter("bias", bias, constant({width}, 0));
}

Tensor LayerNorm::operator()(ops::At x) const {
  const ModuleScope here = scope();
  return layer_norm(x, {width_}, weight, bias, eps_);
}

RMSNorm::RMSNorm(Module& owner, std::string name, int64_t width, std::optional<double> eps)
    : Module(owner, std::move(name)), width_(width), eps_(eps) {
  add_parameter("weight", weight, constant({width}, 1));
}

Tensor RMSNorm::operator()(ops::At x) const {
  const ModuleScope here = scope();
  return rms_norm(x, {width_}, weight, eps_);
}

BatchNormNd::BatchNormNd(int rank, Module& owner, std::string name, int64_t channels,
                         BatchNormOptions options)
    : Module(owner, std::move(name)), rank_(rank), options_(options) {
  if (options.affine) {
    add_parameter("weight", weight, constant({channels}, 1));
    add_parameter("bias", bias, constant({channels}, 0));
  }
  if (options.track_running_stats) {
    add_buffer("running_mean", running_mean, constant({channels}, 0));
    add_buffer("running_var", running_var, constant({channels}, 1));
  }
}

Tensor BatchNormNd::operator()(ops::At x) const {
  const ModuleScope here = scope();
  const CalledAs name("batch_norm", x.where);
  const int64_t rank = x.operand.tensor().rank();
  VITRO_CHECK(rank == rank_ + 2 || (rank_ == 1 && rank == 2), "batch_norm: BatchNorm", rank_,
              "d needs x of rank ", rank_ == 1 ? "2 or " : "", rank_ + 2, ", got sizes ",
              numbers_of(x.operand.tensor().sizes()));
  const bool of_batch = is_training() || !running_mean.defined();
  if (of_batch) {
    const Sizes sizes = x.operand.tensor().sizes();
    Size values = sizes[0];
    for (size_t d = 2; d < sizes.size(); ++d) values = values * sizes[d];
    VITRO_CHECK(!known_equal(values, 1),
                "batch_norm: the statistics of a batch need more than one value for each channel, "
                "got sizes ",
                numbers_of(sizes));
  }
  return batch_norm(x, weight, bias, running_mean, running_var, of_batch, options_.momentum,
                    options_.eps);
}

AnyDropout::AnyDropout(Module& owner, std::string name, Function function, double p)
    : Module(owner, std::move(name)), function_(function), p_(p) {
  VITRO_CHECK(p >= 0 && p <= 1, "a dropout module needs a probability in [0, 1], got ", p);
}

Tensor AnyDropout::operator()(ops::At x) const {
  const ModuleScope here = scope();
  return function_(x, p_, is_training());
}

namespace {

// feature_dropout of [n, c] and `rank` more dimensions, of which n may be left out.
template <int rank>
Tensor channel_dropout(ops::At x, double p, bool train) {
  const Tensor& t = x.operand.tensor();
  if (!train) return t;
  const CalledAs name("feature_dropout", x.where);
  VITRO_CHECK(t.rank() == rank + 1 || t.rank() == rank + 2, "feature_dropout: needs rank ",
              rank + 1, " or ", rank + 2, ", got sizes ", numbers_of(t.sizes()));
  if (t.rank() == rank + 2) return feature_dropout(x, p, train);
  return squeeze(feature_dropout({unsqueeze(x, 0), x.where}, p, train), 0);
}

}  // namespace

Dropout::Dropout(Module& owner, std::string name, double p)
    : AnyDropout(owner, std::move(name), &dropout, p) {}
Dropout1d::Dropout1d(Module& owner, std::string name, double p)
    : AnyDropout(owner, std::move(name), &channel_dropout<1>, p) {}
Dropout2d::Dropout2d(Module& owner, std::string name, double p)
    : AnyDropout(owner, std::move(name), &feature_dropout, p) {}
Dropout3d::Dropout3d(Module& owner, std::string name, double p)
    : AnyDropout(owner, std::move(name), &channel_dropout<3>, p) {}
AlphaDropout::AlphaDropout(Module& owner, std::string name, double p)
    : AnyDropout(owner, std::move(name), &alpha_dropout, p) {}
FeatureAlphaDropout::FeatureAlphaDropout(Module& owner, std::string name, double p)
    : AnyDropout(owner, std::move(name), &feature_alpha_dropout, p) {}

}  // namespace vitro::nn
