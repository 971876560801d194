#include "vitro/models/unet.h"

#include "vitro/base/error.h"
#include "vitro/ops/all.h"

namespace vitro::models {

DoubleConv::DoubleConv(nn::Module& owner, std::string name, int64_t in, int64_t out)
    : Module(owner, std::move(name)),
      first_(*this, "double_conv.0", "double_conv.1", in, out, 3),
      second_(*this, "double_conv.3", "double_conv.4", out, out, 3) {}

Tensor DoubleConv::operator()(const Tensor& x) const {
  const ModuleScope here = scope();
  return relu(second_(relu(first_(x))));
}

UNetUp::UNetUp(nn::Module& owner, std::string name, int64_t in)
    : Module(owner, std::move(name)),
      up_(*this, "up", in, in / 2, 2, {.stride = 2}),
      conv_(*this, "conv", in, in / 2) {}

Tensor UNetUp::operator()(const Tensor& x, const Tensor& across) const {
  const ModuleScope here = scope();
  return conv_(cat({across, up_(x)}, 1));
}

UNet::UNet(const UNetConfig& config) {
  VITRO_CHECK(!config.widths.empty(), "UNet: needs at least one width, got none");
  int64_t in = config.channels;
  for (const int64_t width : config.widths) {
    const size_t level = down_.size();
    down_.emplace_back(*this, level == 0 ? "inc" : cat("down", level, ".maxpool_conv.1"), in,
                       width);
    in = width;
  }
  for (size_t level = config.widths.size() - 1; level > 0; --level)
    up_.emplace_back(*this, cat("up", up_.size() + 1), config.widths[level]);
  outc_.emplace(*this, "outc.conv", config.widths[0], config.classes, 1);
  eval();
}

Tensor UNet::operator()(const Tensor& x) const {
  const ModuleScope here = scope();
  std::vector<Tensor> levels;
  for (const DoubleConv& down : down_)
    levels.push_back(down(levels.empty() ? x : max_pool2d(levels.back(), 2)));
  Tensor y = levels.back();
  for (size_t i = 0; i < up_.size(); ++i) y = up_[i](y, levels[levels.size() - 2 - i]);
  return (*outc_)(y);
}

}  // namespace vitro::models
