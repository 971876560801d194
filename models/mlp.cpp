#include "vitro/models/mlp.h"

#include "vitro/base/error.h"
#include "vitro/ops/all.h"

namespace vitro::models {

Mlp::Mlp(std::initializer_list<int64_t> widths) {
  VITRO_CHECK(widths.size() >= 2, "Mlp: needs at least two widths, got ", widths.size());
  const int64_t* width = widths.begin();
  for (size_t i = 0; i + 1 < widths.size(); ++i)
    layers_.emplace_back(*this, cat("fc", i + 1), width[i], width[i + 1]);
}

Tensor Mlp::operator()(const Tensor& x) const {
  Tensor y = x;
  for (size_t i = 0; i < layers_.size(); ++i) {
    y = layers_[i](y);
    if (i + 1 < layers_.size()) y = relu(y);
  }
  return y;
}

}  // namespace vitro::models
