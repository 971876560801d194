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

// Up to the first 0 an element takes part in every product from it on.  The first 0 itself takes
// part in those up to the next one, which are the products without it; what follows it in none.
void Cumprod::gradient(Formula& f) {
  const int64_t dim = dim_of(f);
  const Tensor &x = f.tensor(0), &g = f.gradient();
  const Tensor is_zero = x == 0, zeros = cumsum(is_zero, dim);
  const Tensor before = sums_from(vitro::where(zeros == 0, g * f.result(), 0), dim) / x;
  const Tensor is_first = vitro::logical_and(is_zero, zeros == 1);
  const Tensor without = cumprod(vitro::where(is_first, 1, x), dim, g.dtype());
  const Tensor of_first = sums_from(vitro::where(zeros == 1, g * without, 0), dim);
  f.set(0, vitro::where(zeros == 0, before, vitro::where(is_first, of_first, 0)));
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
