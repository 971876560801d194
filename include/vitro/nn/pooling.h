// Pools as modules, with the names and defaults of torch.nn; ops/pool.h says what they compute.
//   nn::MaxPool2d pool{*this, "pool", 3, {.stride = 2, .padding = 1}};
//   nn::AvgPool1d mean{*this, "mean", 2};   nn::AdaptiveAvgPool2d last{*this, "last", {1, 1}};
// The size of a kernel, and what is one number in an option, is for all dimensions, or a list.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "vitro/core/attributes.h"
#include "vitro/nn/function_module.h"
#include "vitro/ops/pool.h"

namespace vitro::nn {

struct MaxPoolOptions {
  DimsArg stride = {};  // empty: that of the kernel
  DimsArg padding = 0, dilation = 1;
  bool ceil_mode = false;
};
template <FixedString name, auto pool>
struct MaxPoolFunction {
  static constexpr std::string_view kind = name.view();
  DimsArg size;
  MaxPoolOptions options = {};
  auto operator()(ops::At x) const {
    return pool(x, size, options.stride, options.padding, options.dilation, options.ceil_mode);
  }
};
using MaxPool1d = SizedModule<MaxPoolFunction<"MaxPool1d", max_pool1d>>;
using MaxPool2d = SizedModule<MaxPoolFunction<"MaxPool2d", max_pool2d>>;
using MaxPool3d = SizedModule<MaxPoolFunction<"MaxPool3d", max_pool3d>>;

struct AvgPool1dOptions {
  DimsArg stride = {}, padding = 0;
  bool ceil_mode = false;
  bool count_include_pad = true;  // the padding counts
};
struct AvgPoolOptions {
  DimsArg stride = {}, padding = 0;
  bool ceil_mode = false, count_include_pad = true;
  std::optional<int64_t> divisor_override = {};
};
struct AvgPool1dFunction {
  static constexpr std::string_view kind = "AvgPool1d";
  DimsArg size;
  AvgPool1dOptions options = {};
  Tensor operator()(ops::At x) const {
    return avg_pool1d(x, size, options.stride, options.padding, options.ceil_mode,
                      options.count_include_pad);
  }
};
template <FixedString name, auto pool>
struct AvgPoolFunction {
  static constexpr std::string_view kind = name.view();
  DimsArg size;
  AvgPoolOptions options = {};
  Tensor operator()(ops::At x) const {
    return pool(x, size, options.stride, options.padding, options.ceil_mode,
                options.count_include_pad, options.divisor_override);
  }
};
using AvgPool1d = SizedModule<AvgPool1dFunction>;
using AvgPool2d = SizedModule<AvgPoolFunction<"AvgPool2d", avg_pool2d>>;
using AvgPool3d = SizedModule<AvgPoolFunction<"AvgPool3d", avg_pool3d>>;

// Root of order `norm` of the sum of the powers under the kernel.
struct LPPoolOptions {
  DimsArg stride = {};
  bool ceil_mode = false;
};
template <FixedString name, auto pool>
struct LPPoolFunction {
  static constexpr std::string_view kind = name.view();
  double norm;
  DimsArg size;
  LPPoolOptions options = {};
  Tensor operator()(ops::At x) const {
    return pool(x, norm, size, options.stride, options.ceil_mode);
  }
};
template <class F>
struct LPPool : FunctionModule<F> {
  LPPool(Module& owner, std::string name, double norm, DimsArg kernel_size,
         LPPoolOptions options = {})
      : FunctionModule<F>(owner, std::move(name),
                          F{norm, std::move(kernel_size), std::move(options)}) {}
};
using LPPool1d = LPPool<LPPoolFunction<"LPPool1d", lp_pool1d>>;
using LPPool2d = LPPool<LPPoolFunction<"LPPool2d", lp_pool2d>>;
using LPPool3d = LPPool<LPPoolFunction<"LPPool3d", lp_pool3d>>;

// The size of the result.
template <FixedString name, auto pool>
struct AdaptivePoolFunction {
  static constexpr std::string_view kind = name.view();
  SizesArg size;
  Tensor operator()(ops::At x) const {
    if constexpr (requires { std::get<0>(pool(x, size)); })
      return std::get<0>(pool(x, size));
    else
      return pool(x, size);
  }
};
using AdaptiveAvgPool1d =
    SizedModule<AdaptivePoolFunction<"AdaptiveAvgPool1d", adaptive_avg_pool1d>>;
using AdaptiveAvgPool2d =
    SizedModule<AdaptivePoolFunction<"AdaptiveAvgPool2d", adaptive_avg_pool2d>>;
using AdaptiveAvgPool3d =
    SizedModule<AdaptivePoolFunction<"AdaptiveAvgPool3d", adaptive_avg_pool3d>>;
using AdaptiveMaxPool1d =
    SizedModule<AdaptivePoolFunction<"AdaptiveMaxPool1d", adaptive_max_pool1d>>;
using AdaptiveMaxPool2d =
    SizedModule<AdaptivePoolFunction<"AdaptiveMaxPool2d", adaptive_max_pool2d>>;
using AdaptiveMaxPool3d =
    SizedModule<AdaptivePoolFunction<"AdaptiveMaxPool3d", adaptive_max_pool3d>>;

}  // namespace vitro::nn
