// Convolutions and transposed convolutions; names, shapes and initial values are those of torch.nn.
//   nn::Conv2d conv{*this, "conv", 3, 64, 7, {.stride = 2, .padding = 3}};
#pragma once

#include <string>
#include <utility>

#include "vitro/nn/module.h"
#include "vitro/ops/convolution.h"
#include "vitro/ops/define.h"

namespace vitro::nn {

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

}  // namespace vitro::nn
