// Gradients of scans.
#include <limits>

#include "ops/gradient.h"
#include "vitro/ops/all.h"

namespace vitro::ops {
namespace {

int64_t dim_of(const Formula& f) {
  return f.attrs<ScanAttrs>().dim;
}

// For each element, the sum of the elements from it on.
Tensor sums_from(const Tensor& x, int64_t dim) {
  return reversed(cumsum(reversed(x, dim), dim), dim);
}
Tensor logcumsumexp_from(const Tensor& x, int64_t dim) {
  return reversed(logcumsumexp(reversed(x, dim), dim), dim);
}

}  // namespace

void Cumsum::gradient(Formula& f) {
  f.set(0, sums_from(f.gradient(), dim_of(f)));
}

// The gradient of an element is the sum over the products from it on, each without the element and
// times its gradient. Before the first 0 this is y / x. For the first 0 it uses `one`, the products
// without that 0. For later elements the first 0 is a factor: the result is 0, but has a gradient,
// so its other factors are computed as for an element before the second 0 of `one`, and for the
// second 0 itself.
void Cumprod::gradient(Formula& f) {
  const int64_t dim = dim_of(f);
  const Tensor &x = f.tensor(0), &g = f.gradient();
  const Tensor is_zero = x == 0, zeros = cumsum(is_zero, dim);
  const auto is_zero_number = [&](int64_t n) { return vitro::logical_and(is_zero, zeros == n); };
  const Tensor first = is_zero_number(1), second = is_zero_number(2);
  const Tensor without_first = vitro::where(first, 1, x), factors = vitro::where(is_zero, 1, x);
  const Tensor one = cumprod(without_first, dim, g.dtype());
  const Tensor two = cumprod(vitro::where(second, 1, without_first), dim, g.dtype());
  const Tensor of_first = sums_from(g * one, dim), of_second = sums_from(g * two, dim);
  const Tensor before = sums_from(g * f.result(), dim) / factors;
  const Tensor others =
      vitro::where(zeros == 1, of_first / factors, vitro::where(second, of_second, 0));
  const Tensor first_zero = sum(vitro::where(first, x, 0), {dim}, true);
  const Tensor after = vitro::where(first, of_first, first_zero * others);
  f.set(0, vitro::where(zeros == 0, before, after));
}

// The sum over all y from x on of e^(x - y) times the gradient of y. The logarithm of the gradient
// is added to the exponent so that nothing overflows; positive and negative gradients are summed
// apart.
void Logcumsumexp::gradient(Formula& f) {
  constexpr double none = -std::numeric_limits<double>::infinity();
  const int64_t dim = dim_of(f);
  const Tensor &x = f.tensor(0), &g = f.gradient();
  const Tensor size = log(abs(g)) - f.result();
  const auto part = [&](const Tensor& of) {
    return exp(logcumsumexp_from(vitro::where(of, size, none), dim) + x);
  };
  f.set(0, part(g > 0) - part(g < 0));
}

void Extreme::gradient(Formula& f) {
  const Tensor& g = f.gradient(0);
  if (g.defined()) f.set(0, scatter_add(zeros_like(f.tensor(0)), dim_of(f), f.result(1), g));
}

}  // namespace vitro::ops
