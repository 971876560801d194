#include "vitro/nn/linear.h"

#include <cmath>

#include "vitro/nn/init.h"
#include "vitro/ops/all.h"
#include "vitro/ops/special.h"

namespace vitro::nn {
namespace {

// Initial values lie between -bound and bound.
double bound_of(int64_t inputs) {
  return inputs > 0 ? 1 / std::sqrt(static_cast<double>(inputs)) : 0;
}

}  // namespace

Linear::Linear(Module& owner, std::string name, int64_t in, int64_t out, bool with_bias)
    : Module(owner, std::move(name), "Linear") {
  const double bound = bound_of(in);
  add_parameter("weight", weight, uniform({out, in}, -bound, bound));
  if (with_bias) add_parameter("bias", bias, uniform({out}, -bound, bound));
}

Tensor Linear::operator()(ops::At x) const {
  return forward(x, [&](const ops::At& in) { return linear(in, weight, bias); });
}

Bilinear::Bilinear(Module& owner, std::string name, int64_t in1, int64_t in2, int64_t out,
                   bool with_bias)
    : Module(owner, std::move(name), "Bilinear") {
  const double bound = bound_of(in1);
  add_parameter("weight", weight, uniform({out, in1, in2}, -bound, bound));
  if (with_bias) add_parameter("bias", bias, uniform({out}, -bound, bound));
}

Tensor Bilinear::operator()(ops::At x1, const Tensor& x2) const {
  const ModuleScope here = scope();
  return bilinear(x1, x2, weight, bias);
}

}  // namespace vitro::nn
