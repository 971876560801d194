#include "vitro/nn/init.h"

#include <algorithm>

namespace vitro::nn {

Tensor uniform(DimsArg sizes, double low, double high) {
  return init::uniform_(Tensor::empty(sizes), low, high);
}

Tensor normal(DimsArg sizes, double mean, double deviation) {
  return init::normal_(Tensor::empty(sizes), mean, deviation);
}

Tensor constant(DimsArg sizes, double value) {
  Tensor t = Tensor::empty(sizes);
  auto* out = static_cast<float*>(t.storage().data());
  std::fill_n(out, t.numel().value(), static_cast<float>(value));
  return t;
}

}  // namespace vitro::nn
