// The gradients of scans.
#include <limits>

#include "ops/gradient.h"
#include "vitro/ops/all.h"

namespace vitro::ops {
namespace {

int64_t dim_of(const Formula& f) {
  return f.attrs<ScanAttrs>().dim;
}

// The sums of the elements from each on.
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

// Of each element the sum over the products from it on, each times its gradient and without the
// element itself.  Before the first 0 that is y / x.  For the first 0 it is made of `one`, the
// products without it.  What follows it has the first 0 as a factor, which is 0, but has a
// gradient: its other factors are those of an element before the second 0 of `one`, and of the
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

// e^(x - y) over all y from it on, each times its gradient, whose logarithm is added so that
// nothing overflows; positive and negative ones apart.
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
