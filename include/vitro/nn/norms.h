// Normalization; names, shapes and initial values are those of torch.nn.
//   nn::LayerNorm norm{*this, "norm", 768};          // over the last dimension
//   nn::BatchNorm2d norm1{*this, "norm1", 64};       // of each channel, over the batch
//   nn::GroupNorm norm2{*this, "norm2", 8, 64};      // of 8 groups of channels
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "vitro/core/attributes.h"
#include "vitro/nn/module.h"
#include "vitro/ops/define.h"

namespace vitro::nn {

// Normalizes over the last dimensions, which have the sizes `normalized_shape`.
class LayerNorm : public Module {
 public:
  LayerNorm(Module& owner, std::string name, DimsArg normalized_shape, double eps = 1e-5,
            bool elementwise_affine = true, bool with_bias = true);
  Tensor operator()(ops::At x) const;
  Tensor weight, bias;

 private:
  SizesArg shape_;
  double eps_;
};

// x / the root of its mean square over the last dimensions, times weight. The default of `eps` is
// the epsilon of the compute type of x.
class RMSNorm : public Module {
 public:
  RMSNorm(Module& owner, std::string name, DimsArg normalized_shape, std::optional<double> eps = {},
          bool elementwise_affine = true);
  Tensor operator()(ops::At x) const;
  Tensor weight;

 private:
  SizesArg shape_;
  std::optional<double> eps_;
};

// Normalizes groups of channels (dimension 1) of each x[i].
class GroupNorm : public Module {
 public:
  GroupNorm(Module& owner, std::string name, int64_t num_groups, int64_t num_channels,
            double eps = 1e-5, bool affine = true);
  Tensor operator()(ops::At x) const;
  Tensor weight, bias;

 private:
  int64_t groups_;
  double eps_;
};

struct BatchNormOptions {
  double eps = 1e-5;
  double momentum = 0.1;  // the share of the batch in new running statistics
  bool affine = true;     // has weight and bias
  bool track_running_stats = true;
};
struct InstanceNormOptions {
  double eps = 1e-5;
  double momentum = 0.1;
  bool affine = false, track_running_stats = false;
};

// What norms with a mean and a variance for each channel have in common. The running statistics
// are undefined, and never used, if they are not tracked.
class ChannelNorm : public Module {
 public:
  Tensor weight, bias, running_mean, running_var;

 protected:
  ChannelNorm(std::string kind, int rank, Module& owner, std::string name, int64_t channels,
              BatchNormOptions options);
  // Whether the statistics are those of x, not the running ones.
  bool uses_statistics_of_x() const { return is_training() || !running_mean.defined(); }
  int rank_;
  BatchNormOptions options_;

 private:
  // PyTorch's count of batches, of use only for its momentum=None.
  bool ignores(std::string_view name) const override { return name == "num_batches_tracked"; }
};

// Normalizes each channel (dimension 1) of x: [n, channels] or [n, channels, l] (`rank` 1),
// [n, channels, h, w] (2), [n, channels, d, h, w] (3). In training by the mean and variance of the
// batch, with which it also updates the running statistics; in evaluation by the running
// statistics.
class BatchNormNd : public ChannelNorm {
 public:
  Tensor operator()(ops::At x) const;

 protected:
  BatchNormNd(int rank, Module& owner, std::string name, int64_t channels,
              BatchNormOptions options);
};
template <int rank>
class BatchNorm : public BatchNormNd {
 public:
  BatchNorm(Module& owner, std::string name, int64_t channels, BatchNormOptions options = {})
      : BatchNormNd(rank, owner, std::move(name), channels, options) {}
};
using BatchNorm1d = BatchNorm<1>;
using BatchNorm2d = BatchNorm<2>;
using BatchNorm3d = BatchNorm<3>;

// Normalizes each channel of each x[i]. x has the sizes of a batch norm's, but not [n, channels]; n
// may be left out. In evaluation by the running statistics, if they are tracked.
class InstanceNormNd : public ChannelNorm {
 public:
  Tensor operator()(ops::At x) const;

 protected:
  InstanceNormNd(int rank, Module& owner, std::string name, int64_t channels,
                 InstanceNormOptions options);
};
template <int rank>
class InstanceNorm : public InstanceNormNd {
 public:
  InstanceNorm(Module& owner, std::string name, int64_t channels, InstanceNormOptions options = {})
      : InstanceNormNd(rank, owner, std::move(name), channels, options) {}
};
using InstanceNorm1d = InstanceNorm<1>;
using InstanceNorm2d = InstanceNorm<2>;
using InstanceNorm3d = InstanceNorm<3>;

}  // namespace vitro::nn
