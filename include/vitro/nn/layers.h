// Common layers; names, shapes and initial values are those of torch.nn.
#pragma once

#include <optional>
#include <string>

#include "vitro/nn/module.h"
#include "vitro/ops/convolution.h"
#include "vitro/ops/define.h"

namespace vitro::nn {

// y = x W^T + b, x: [..., in], weight: [out, in], bias: [out].
class Linear : public Module {
 public:
  Linear(Module& owner, std::string name, int64_t in, int64_t out, bool with_bias = true);
  Tensor operator()(ops::At x) const;
  Tensor weight, bias;
};

// The border that a convolution pads x with: zeros, or its elements: mirrored, repeated at the
// border, or taken from the other end.
enum class PaddingMode : uint8_t { zeros, reflect, replicate, circular };

// What convolutions of one to three spatial dimensions share.
class ConvNd : public Module {
 public:
  Tensor operator()(ops::At x) const;
  Tensor weight, bias;  // weight: [out, in / groups, kernel sizes...]

 protected:
  ConvNd(int rank, Module& owner, std::string name, int64_t in, int64_t out, DimsArg kernel,
         ops::ConvAttrs attrs, bool with_bias, PaddingMode mode);

 private:
  int rank_;
  ops::ConvAttrs attrs_;
  PaddingMode mode_;
};
// Convolves x [n, in, spatial sizes...] or [in, spatial sizes...].
//   nn::Conv2d conv{*this, "conv", 3, 64, {7, 7}, {.stride = 2, .padding = 3}};
template <int rank>
class Conv : public ConvNd {
 public:
  Conv(Module& owner, std::string name, int64_t in, int64_t out, DimsArg kernel,
       ops::ConvAttrs attrs = {}, bool with_bias = true, PaddingMode mode = PaddingMode::zeros)
      : ConvNd(rank, owner, std::move(name), in, out, std::move(kernel), std::move(attrs),
               with_bias, mode) {}
};
using Conv1d = Conv<1>;
using Conv2d = Conv<2>;
using Conv3d = Conv<3>;

class ConvTransposeNd : public Module {
 public:
  Tensor operator()(ops::At x) const;
  Tensor weight, bias;  // weight: [in, out / groups, kernel sizes...]

 protected:
  ConvTransposeNd(int rank, Module& owner, std::string name, int64_t in, int64_t out,
                  DimsArg kernel, ops::ConvTransposeAttrs attrs, bool with_bias);

 private:
  int rank_;
  ops::ConvTransposeAttrs attrs_;
};
template <int rank>
class ConvTranspose : public ConvTransposeNd {
 public:
  ConvTranspose(Module& owner, std::string name, int64_t in, int64_t out, DimsArg kernel,
                ops::ConvTransposeAttrs attrs = {}, bool with_bias = true)
      : ConvTransposeNd(rank, owner, std::move(name), in, out, std::move(kernel), std::move(attrs),
                        with_bias) {}
};
using ConvTranspose1d = ConvTranspose<1>;
using ConvTranspose2d = ConvTranspose<2>;
using ConvTranspose3d = ConvTranspose<3>;

// Selects rows of weight [count, width] by i32 or i64 indices of any shape.
class Embedding : public Module {
 public:
  Embedding(Module& owner, std::string name, int64_t count, int64_t width);
  Tensor operator()(ops::At indices) const;
  Tensor weight;
};

// Normalizes over the last dimension.
class LayerNorm : public Module {
 public:
  LayerNorm(Module& owner, std::string name, int64_t width, double eps = 1e-5);
  Tensor operator()(ops::At x) const;
  Tensor weight, bias;

 private:
  int64_t width_;
  double eps_;
};

// x / the root of its mean square over the last dimension, times weight.
class RMSNorm : public Module {
 public:
  RMSNorm(Module& owner, std::string name, int64_t width, std::optional<double> eps = {});
  Tensor operator()(ops::At x) const;
  Tensor weight;

 private:
  int64_t width_;
  std::optional<double> eps_;
};

struct BatchNormOptions {
  double eps = 1e-5;
  double momentum = 0.1;  // the share of the batch in new running statistics
  bool affine = true;     // has weight and bias
  bool track_running_stats = true;
};

// Normalizes each channel (dimension 1) of x: [n, channels] or [n, channels, l] (`rank` 1),
// [n, channels, h, w] (2), [n, channels, d, h, w] (3). In training by the mean and variance of the
// batch, with which it also updates the running statistics; in evaluation by the running
// statistics. These are undefined, and never used, if they are not tracked.
class BatchNormNd : public Module {
 public:
  Tensor operator()(ops::At x) const;
  Tensor weight, bias, running_mean, running_var;

 protected:
  BatchNormNd(int rank, Module& owner, std::string name, int64_t channels,
              BatchNormOptions options);

 private:
  // PyTorch's count of batches, of use only for its momentum=None.
  bool ignores(std::string_view name) const override { return name == "num_batches_tracked"; }
  int rank_;
  BatchNormOptions options_;
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

// What the modules for dropout have in common; in evaluation they return x itself.
class AnyDropout : public Module {
 public:
  Tensor operator()(ops::At x) const;

 protected:
  using Function = Tensor (*)(ops::At x, double p, bool train);
  AnyDropout(Module& owner, std::string name, Function function, double p);

 private:
  Function function_;
  double p_;
};

// Sets each element to 0 with the probability p and divides the others by 1 - p.
struct Dropout : AnyDropout {
  Dropout(Module& owner, std::string name, double p = 0.5);
};
// The same for whole channels of x [n, c, l] or [c, l], [n, c, h, w], and [n, c, d, h, w] or
// [c, d, h, w].
struct Dropout1d : AnyDropout {
  Dropout1d(Module& owner, std::string name, double p = 0.5);
};
struct Dropout2d : AnyDropout {
  Dropout2d(Module& owner, std::string name, double p = 0.5);
};
struct Dropout3d : AnyDropout {
  Dropout3d(Module& owner, std::string name, double p = 0.5);
};
// Sets elements, or channels, to the limit of selu instead of 0, and keeps mean and variance.
struct AlphaDropout : AnyDropout {
  AlphaDropout(Module& owner, std::string name, double p = 0.5);
};
struct FeatureAlphaDropout : AnyDropout {
  FeatureAlphaDropout(Module& owner, std::string name, double p = 0.5);
};

}  // namespace vitro::nn
