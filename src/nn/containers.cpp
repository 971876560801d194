#include "vitro/nn/containers.h"

namespace vitro::nn {

Tensor Sequential::operator()(ops::At x) const {
  return forward(x, [&](const ops::At& in) {
    Tensor y = in.operand.tensor();
    for (const Step& step : steps_) y = step.call(*step.module, ops::At(y, in.where));
    return y;
  });
}

Module& Sequential::operator[](int64_t index) const {
  return *steps_[static_cast<size_t>(position_of("Sequential", index, size()))].module;
}

}  // namespace vitro::nn
