// Gradients of statistics and normalization. f16 and bf16 are computed in f32, as in the ops.
#include <cmath>

#include "ops/gradient.h"
#include "ops/norms.h"
#include "ops/wide.h"
#include "vitro/ops/all.h"

namespace vitro::ops {
namespace {

// The sum of a and b, either of which may be undefined.
Tensor sum_of(const Tensor& a, const Tensor& b) {
  return !a.defined() ? b : !b.defined() ? a : a + b;
}

// Gradient through the variance: g * 2 (x - mean) / (the divisor of the squares).
Tensor of_variance(const Tensor& x, const Tensor& g, const Dims& dims, double correction) {
  const Size count = count_of(x, dims);
  const Tensor distance = x - mean(x, dims, true);
  if (correction != std::floor(correction) || std::abs(correction) >= 0x1p53)
    return distance * (g * (2.0 / (static_cast<double>(count.value()) - correction)));
  return distance * (g * 2.0 / (count - static_cast<int64_t>(correction)));
}

// Gradient of x from those of the variance, `g`, and of the mean, `of_mean`. Either may be
// undefined; if both are, so is the result.
Tensor of_moments(const Formula& f, const Tensor& g, const Tensor& of_mean) {
  const auto& a = f.attrs<VarAttrs>();
  const Tensor x = widened(f.tensor(0));
  const ReducedDims dims{wrap_dims(f.op().name, a.dim, x.rank()), a.keepdim};
  Tensor out;
  if (g.defined()) out = of_variance(x, kept(widened(g), dims), dims.dims, a.correction);
  if (!of_mean.defined()) return out;
  const Tensor of_each = kept(widened(of_mean), dims) / count_of(x, dims.dims);
  return sum_of(out, expand(of_each, x.sizes()));
}

}  // namespace

void Softmax::gradient(Formula& f) {
  const Tensor y = widened(f.result()), product = widened(f.gradient()) * y;
  if (y.rank() == 0) return f.set(0, product - y * product);
  f.set(0, product - y * sum(product, {f.attrs<Attrs>().dim}, true));
}

void LogSoftmax::gradient(Formula& f) {
  const Tensor y = widened(f.result()), g = widened(f.gradient());
  if (y.rank() == 0) return f.set(0, g - exp(y) * g);
  f.set(0, g - exp(y) * sum(g, {f.attrs<Attrs>().dim}, true));
}

void Logsumexp::gradient(Formula& f) {
  const auto& a = f.attrs<Attrs>();
  const Tensor x = widened(f.tensor(0));
  const ReducedDims dims{wrap_dims(name, a.dim, x.rank()), a.keepdim};
  f.set(0, kept(widened(f.gradient()), dims) * exp(x - kept(widened(f.result()), dims)));
}

void Var::gradient(Formula& f) {
  f.set(0, of_moments(f, f.gradient(), {}));
}
void VarMean::gradient(Formula& f) {
  f.set(0, of_moments(f, f.gradient(0), f.gradient(1)));
}

// With n = (x - mean) * scale, which weight multiplies, and h the gradient of n:
//   scale * (h - mean(h) - n * mean(h * n))  (through_norm),
// plus the contributions of the results mean and scale.
void NativeLayerNorm::gradient(Formula& f) {
  const Tensor x = widened(f.tensor(0));
  Dims dims;
  for (size_t d = f.attrs<Attrs>().normalized_shape.size(); d > 0; --d)
    dims.push_back(x.rank() - static_cast<int64_t>(d));
  // Mean and scale saved as halves are not exact: compute them again.
  const bool exact = x.dtype() == f.result(1).dtype();
  const Tensor mean_of_x = exact ? f.result(1) : mean(x, dims, true);
  const Tensor distance = x - mean_of_x;
  const Tensor scale =
      exact ? f.result(2) : rsqrt(mean(distance * distance, dims, true) + f.attrs<Attrs>().eps);
  const Tensor n = distance * scale;
  const Tensor g = widened(f.gradient(0)), of_mean = widened(f.gradient(1)),
               of_scale = widened(f.gradient(2));
  if (g.defined() && f.wants(1)) f.set(1, g * n);
  if (g.defined() && f.wants(2)) f.set(2, g);
  if (!f.wants(0)) return;
  Tensor out;
  if (g.defined()) {
    const Tensor h = f.has(1) ? g * widened(f.tensor(1)) : g;
    out = through_norm(h, n, scale, dims);
  }
  const Size count = count_of(x, dims);
  if (of_mean.defined()) out = sum_of(out, vitro::expand(of_mean / count, x.sizes()));
  if (of_scale.defined()) out = sum_of(out, -(of_scale * scale * scale / count) * n);
  f.set(0, out);
}

}  // namespace vitro::ops
