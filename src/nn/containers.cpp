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
  const int64_t i = index < 0 ? index + size() : index;
  VITRO_CHECK(i >= 0 && i < size(), "Sequential: index ", index, " is out of range for ", size(),
              " modules");
  return *steps_[static_cast<size_t>(i)].module;
}

}  // namespace vitro::nn
