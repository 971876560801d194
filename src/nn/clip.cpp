#include "vitro/nn/clip.h"

#include <cmath>
#include <vector>

#include "vitro/base/error.h"
#include "vitro/core/interpreter.h"
#include "vitro/ops/all.h"
#include "vitro/ops/arithmetic.h"
#include "vitro/ops/distance.h"

namespace vitro::nn {
namespace {

std::vector<Tensor> gradients_of(std::span<Tensor* const> parameters) {
  std::vector<Tensor> out;
  for (const Tensor* parameter : parameters) {
    if (Tensor gradient = parameter->grad(); gradient.defined()) out.push_back(std::move(gradient));
  }
  return out;
}

}  // namespace

Tensor clip_grad_norm_(std::span<Tensor* const> parameters, double max_norm, double norm_type) {
  const NoGrad unrecorded;
  const std::vector<Tensor> gradients = gradients_of(parameters);
  if (gradients.empty()) return zeros({});
  std::vector<Tensor> norms;
  for (const Tensor& gradient : gradients)
    norms.push_back(reshape(linalg_vector_norm(gradient, norm_type), {1}));
  const Tensor norm = linalg_vector_norm(cat(norms, 0), norm_type);
  const Tensor factor = clamp_max(max_norm / (norm + 1e-6), 1.0);
  for (const Tensor& gradient : gradients) (void)mul_(gradient, factor);
  return norm;
}

void clip_grad_value_(std::span<Tensor* const> parameters, double clip_value) {
  VITRO_CHECK(clip_value >= 0, "clip_grad_value_: clip_value must not be negative, got ",
              clip_value);
  const NoGrad unrecorded;
  for (const Tensor& gradient : gradients_of(parameters))
    (void)copy_(gradient, clamp(gradient, -clip_value, clip_value));
}

}  // namespace vitro::nn
