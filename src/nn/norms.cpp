// Norms: their parameters, running statistics, and what they demand of x.
#include "vitro/nn/norms.h"

#include "core/numbers.h"
#include "vitro/base/called_as.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/nn/init.h"
#include "vitro/ops/all.h"

namespace vitro::nn {

LayerNorm::LayerNorm(Module& owner, std::string name, DimsArg normalized_shape, double eps,
                     bool elementwise_affine, bool with_bias)
    : Module(owner, std::move(name), "LayerNorm"), shape_(normalized_shape), eps_(eps) {
  if (!elementwise_affine) return;
  add_parameter("weight", weight, constant(normalized_shape, 1));
  if (with_bias) add_parameter("bias", bias, constant(normalized_shape, 0));
}

Tensor LayerNorm::operator()(ops::At x) const {
  return forward(x, [&](const ops::At& in) { return layer_norm(in, shape_, weight, bias, eps_); });
}

RMSNorm::RMSNorm(Module& owner, std::string name, DimsArg normalized_shape,
                 std::optional<double> eps, bool elementwise_affine)
    : Module(owner, std::move(name), "RMSNorm"), shape_(normalized_shape), eps_(eps) {
  if (elementwise_affine) add_parameter("weight", weight, constant(normalized_shape, 1));
}

Tensor RMSNorm::operator()(ops::At x) const {
  return forward(x, [&](const ops::At& in) { return rms_norm(in, shape_, weight, eps_); });
}

GroupNorm::GroupNorm(Module& owner, std::string name, int64_t num_groups, int64_t num_channels,
                     double eps, bool affine)
    : Module(owner, std::move(name), "GroupNorm"), groups_(num_groups), eps_(eps) {
  VITRO_CHECK(num_groups > 0 && num_channels % num_groups == 0, "GroupNorm: ", num_channels,
              " channels are not a multiple of ", num_groups, " groups");
  if (!affine) return;
  add_parameter("weight", weight, constant({num_channels}, 1));
  add_parameter("bias", bias, constant({num_channels}, 0));
}

Tensor GroupNorm::operator()(ops::At x) const {
  return forward(x, [&](const ops::At& in) { return group_norm(in, groups_, weight, bias, eps_); });
}

ChannelNorm::ChannelNorm(std::string kind, int rank, Module& owner, std::string name,
                         int64_t channels, BatchNormOptions options)
    : Module(owner, std::move(name), cat(std::string_view(kind), rank, 'd')),
      rank_(rank),
      options_(options) {
  if (options.affine) {
    add_parameter("weight", weight, constant({channels}, 1));
    add_parameter("bias", bias, constant({channels}, 0));
  }
  if (options.track_running_stats) {
    add_buffer("running_mean", running_mean, constant({channels}, 0));
    add_buffer("running_var", running_var, constant({channels}, 1));
  }
}

namespace {

// The number of elements of a channel: the product of the sizes from `first` on, without those of
// the channels.
Size values_of(const Sizes& sizes, size_t first) {
  Size values = 1;
  for (size_t d = first; d < sizes.size(); ++d)
    if (d != 1) values = values * sizes[d];
  return values;
}

}  // namespace

BatchNormNd::BatchNormNd(int rank, Module& owner, std::string name, int64_t channels,
                         BatchNormOptions options)
    : ChannelNorm("BatchNorm", rank, owner, std::move(name), channels, options) {}

Tensor BatchNormNd::operator()(ops::At x) const {
  return forward(x, [&](const ops::At& in) {
    const CalledAs name("batch_norm", in.where);
    const Sizes sizes = in.operand.tensor().sizes();
    const auto rank = static_cast<int>(sizes.size());
    VITRO_CHECK(rank == rank_ + 2 || (rank_ == 1 && rank == 2), "batch_norm: ", kind(),
                " needs x of rank ", rank_ == 1 ? "2 or " : "", rank_ + 2, ", got sizes ",
                numbers_of(sizes));
    VITRO_CHECK(!uses_statistics_of_x() || !known_equal(values_of(sizes, 0), 1),
                "batch_norm: the statistics of a batch need more than one value for each channel, "
                "got sizes ",
                numbers_of(sizes));
    return batch_norm(in, weight, bias, running_mean, running_var, uses_statistics_of_x(),
                      options_.momentum, options_.eps);
  });
}

InstanceNormNd::InstanceNormNd(int rank, Module& owner, std::string name, int64_t channels,
                               InstanceNormOptions options)
    : ChannelNorm("InstanceNorm", rank, owner, std::move(name), channels,
                  {options.eps, options.momentum, options.affine, options.track_running_stats}) {}

Tensor InstanceNormNd::operator()(ops::At x) const {
  return forward(x, [&](const ops::At& in) {
    const CalledAs name("instance_norm", in.where);
    const Tensor& t = in.operand.tensor();
    VITRO_CHECK(t.rank() == rank_ + 1 || t.rank() == rank_ + 2, "instance_norm: ", kind(),
                " needs x of rank ", rank_ + 1, " or ", rank_ + 2, ", got sizes ",
                numbers_of(t.sizes()));
    const bool is_batch = t.rank() == rank_ + 2;
    const Tensor batch = is_batch ? t : unsqueeze(in, 0);
    VITRO_CHECK(!uses_statistics_of_x() || !known_equal(values_of(batch.sizes(), 2), 1),
                "instance_norm: the statistics of a channel need more than one value, got sizes ",
                numbers_of(t.sizes()));
    const Tensor y = instance_norm({batch, in.where}, weight, bias, running_mean, running_var,
                                   uses_statistics_of_x(), options_.momentum, options_.eps);
    return is_batch ? y : squeeze(y, 0);
  });
}

}  // namespace vitro::nn
