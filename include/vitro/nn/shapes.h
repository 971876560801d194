// Modules that move, pad or resize what they get, with the names and defaults of torch.nn.
//   net.add<nn::Flatten>();   net.add<nn::Linear>(512, 10);
//   nn::ReflectionPad2d pad{*this, "pad", 3};
//   nn::Upsample up{*this, "up", {.scale_factor = 2, .mode = "bilinear"}};
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "vitro/core/attributes.h"
#include "vitro/nn/function_module.h"
#include "vitro/ops/layout.h"
#include "vitro/ops/resample.h"
#include "vitro/ops/view.h"
#include "vitro/ops/window.h"

namespace vitro::nn {

struct IdentityFunction {
  static constexpr std::string_view kind = "Identity";
  Tensor operator()(ops::At x) const { return x.operand.tensor(); }
};
using Identity = FunctionModule<IdentityFunction>;

// By default all but the first dimension become one.
struct FlattenFunction {
  static constexpr std::string_view kind = "Flatten";
  int64_t start_dim = 1, end_dim = -1;
  Tensor operator()(ops::At x) const { return flatten(x, start_dim, end_dim); }
};
using Flatten = FunctionModule<FlattenFunction>;

// One dimension as several.
//   nn::Unflatten split{*this, "split", 1, {8, 64}};
struct UnflattenFunction {
  static constexpr std::string_view kind = "Unflatten";
  int64_t dim;
  SizesArg unflattened_size;
  Tensor operator()(ops::At x) const { return unflatten(x, dim, unflattened_size); }
};
class Unflatten : public FunctionModule<UnflattenFunction> {
 public:
  Unflatten(Module& owner, std::string name, int64_t dim, SizesArg unflattened_size)
      : FunctionModule(owner, std::move(name), {dim, std::move(unflattened_size)}) {}
};

// One number for all borders, or two for each dimension, from the last dimension on, as for pad().
template <FixedString name, int rank, FixedString mode>
struct PadFunction {
  static constexpr std::string_view kind = name.view();
  SizesArg size;
  Tensor operator()(ops::At x) const {
    return pad(x, size.size() == 1 ? SizesArg(Sizes(2 * rank, size[0])) : size, mode.view());
  }
};
template <FixedString name, int rank, FixedString mode = "constant">
using Pad = SizedModule<PadFunction<name, rank, mode>>;
using ZeroPad1d = Pad<"ZeroPad1d", 1>;
using ZeroPad2d = Pad<"ZeroPad2d", 2>;
using ZeroPad3d = Pad<"ZeroPad3d", 3>;
using ReflectionPad1d = Pad<"ReflectionPad1d", 1, "reflect">;
using ReflectionPad2d = Pad<"ReflectionPad2d", 2, "reflect">;
using ReflectionPad3d = Pad<"ReflectionPad3d", 3, "reflect">;
using ReplicationPad1d = Pad<"ReplicationPad1d", 1, "replicate">;
using ReplicationPad2d = Pad<"ReplicationPad2d", 2, "replicate">;
using ReplicationPad3d = Pad<"ReplicationPad3d", 3, "replicate">;
using CircularPad1d = Pad<"CircularPad1d", 1, "circular">;
using CircularPad2d = Pad<"CircularPad2d", 2, "circular">;
using CircularPad3d = Pad<"CircularPad3d", 3, "circular">;

// The same with a value.
//   nn::ConstantPad1d pad{*this, "pad", {2, 0}, -1};
template <FixedString name, int rank>
struct ConstantPadFunction {
  static constexpr std::string_view kind = name.view();
  SizesArg size;
  double options = 0;  // the value
  Tensor operator()(ops::At x) const {
    return constant_pad_nd(x, size.size() == 1 ? SizesArg(Sizes(2 * rank, size[0])) : size,
                           options);
  }
};
using ConstantPad1d = SizedModule<ConstantPadFunction<"ConstantPad1d", 1>>;
using ConstantPad2d = SizedModule<ConstantPadFunction<"ConstantPad2d", 2>>;
using ConstantPad3d = SizedModule<ConstantPadFunction<"ConstantPad3d", 3>>;

struct UpsampleFunction {
  static constexpr std::string_view kind = "Upsample";
  SizesArg size = {};
  Factors scale_factor = {};
  std::string mode = "nearest";  // as of interpolate()
  bool align_corners = false;
  Tensor operator()(ops::At x) const {
    return interpolate(
        x,
        {.size = size, .scale_factor = scale_factor, .mode = mode, .align_corners = align_corners});
  }
};
using Upsample = FunctionModule<UpsampleFunction>;

struct PixelShuffleFunction {
  static constexpr std::string_view kind = "PixelShuffle";
  int64_t upscale_factor;
  Tensor operator()(ops::At x) const { return pixel_shuffle(x, upscale_factor); }
};
using PixelShuffle = FunctionModule<PixelShuffleFunction>;

struct PixelUnshuffleFunction {
  static constexpr std::string_view kind = "PixelUnshuffle";
  int64_t downscale_factor;
  Tensor operator()(ops::At x) const { return pixel_unshuffle(x, downscale_factor); }
};
using PixelUnshuffle = FunctionModule<PixelUnshuffleFunction>;

struct ChannelShuffleFunction {
  static constexpr std::string_view kind = "ChannelShuffle";
  int64_t groups;
  Tensor operator()(ops::At x) const { return channel_shuffle(x, groups); }
};
using ChannelShuffle = FunctionModule<ChannelShuffleFunction>;

// The patches under a kernel as columns, and the sums of such columns as an image.
struct UnfoldOptions {
  DimsArg dilation = 1, padding = 0, stride = 1;
};
struct UnfoldFunction {
  static constexpr std::string_view kind = "Unfold";
  DimsArg size;
  UnfoldOptions options = {};
  Tensor operator()(ops::At x) const {
    return im2col(x, size, options.dilation, options.padding, options.stride);
  }
};
using Unfold = SizedModule<UnfoldFunction>;
struct FoldFunction {
  static constexpr std::string_view kind = "Fold";
  SizesArg output_size;
  DimsArg kernel_size;
  UnfoldOptions options = {};
  Tensor operator()(ops::At x) const {
    return col2im(x, output_size, kernel_size, options.dilation, options.padding, options.stride);
  }
};
class Fold : public FunctionModule<FoldFunction> {
 public:
  Fold(Module& owner, std::string name, SizesArg output_size, DimsArg kernel_size,
       UnfoldOptions options = {})
      : FunctionModule(owner, std::move(name),
                       {std::move(output_size), std::move(kernel_size), std::move(options)}) {}
};

}  // namespace vitro::nn
