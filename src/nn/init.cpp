#include "vitro/nn/init.h"

#include <algorithm>

#include "vitro/core/generator.h"
#include "vitro/ops/all.h"

namespace vitro::nn {
namespace {

// x * factor + shift, in its memory.
Tensor scaled(Tensor x, double factor, double shift) {
  const NoGrad unrecorded;
  if (factor != 1) mul_(x, factor);
  if (shift != 0) add_(x, shift);
  return x;
}

}  // namespace

Tensor uniform(DimsArg sizes, double low, double high) {
  if (current_generator() == Generator::mt19937)  // whose numbers are rounded once
    return init::uniform_(Tensor::empty(sizes), low, high);
  return scaled(rand(sizes), high - low, low);
}

Tensor normal(DimsArg sizes, double mean, double deviation) {
  return scaled(randn(sizes), deviation, mean);
}

Tensor constant(DimsArg sizes, double value) {
  Tensor t = Tensor::empty(sizes);
  auto* out = static_cast<float*>(t.storage().data());
  std::fill_n(out, t.numel().value(), static_cast<float>(value));
  return t;
}

}  // namespace vitro::nn
