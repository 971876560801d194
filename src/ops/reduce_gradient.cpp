// Gradients of reductions.
#include "ops/gradient.h"
#include "vitro/ops/all.h"

namespace vitro::ops {
namespace {

ReducedDims reduced(const Formula& f) {
  return reduced_dims(f.attrs(), static_cast<int>(f.tensor(0).rank()));
}

// For an extreme: elements equal to it share its gradient. NaN equals nothing.
Tensor shared(const Formula& f, size_t k) {
  const ReducedDims dims = reduced(f);
  const Tensor chosen = f.tensor(0) == kept(f.result(k), dims);
  const Tensor count = sum(chosen, dims.dims, true);
  return kept(f.gradient(k), dims) * chosen / count;
}

}  // namespace

void Sum::gradient(Formula& f) {
  f.set(0, expand(kept(f.gradient(), reduced(f)), f.tensor(0).sizes()));
}

void Mean::gradient(Formula& f) {
  const ReducedDims dims = reduced(f);
  const Tensor of_each = f.gradient() / count_of(f.tensor(0), dims.dims);
  f.set(0, expand(kept(of_each, dims), f.tensor(0).sizes()));
}

// The product of the other elements: y / x, and for the only 0 the product of the nonzero elements.
// For one of two zeros it is that product times the other zero: 0, but with a gradient.
void Prod::gradient(Formula& f) {
  const Tensor& x = f.tensor(0);
  const ReducedDims dims = reduced(f);
  const Tensor g = kept(f.gradient(), dims), is_zero = x == 0;
  const Tensor zeros = sum(is_zero, dims.dims, true), factors = vitro::where(is_zero, 1, x);
  const Tensor others = g * prod(factors, dims.dims, true, g.dtype());
  const Tensor other_zero = sum(vitro::where(is_zero, x, 0), dims.dims, true) - x;
  const Tensor of_two = vitro::where(zeros == 2, others * other_zero, 0);
  const Tensor of_zero = vitro::where(zeros == 1, others, of_two);
  f.set(0, vitro::where(is_zero, of_zero, g * kept(f.result(), dims) / factors));
}

void Amax::gradient(Formula& f) {
  f.set(0, shared(f, 0));
}
void Amin::gradient(Formula& f) {
  f.set(0, shared(f, 0));
}

void ValueAndIndex::gradient(Formula& f) {
  const Tensor& x = f.tensor(0);
  if (!f.gradient(0).defined()) return;
  if (x.rank() == 0) return f.set(0, f.gradient(0));
  const ReducedDims dims = reduced(f);
  f.set(0,
        scatter(zeros_like(x), dims.dims[0], kept(f.result(1), dims), kept(f.gradient(0), dims)));
}

void Aminmax::gradient(Formula& f) {
  Tensor total;
  for (size_t k = 0; k < 2; ++k) {
    if (!f.gradient(k).defined()) continue;
    total = total.defined() ? total + shared(f, k) : shared(f, k);
  }
  f.set(0, total);
}

}  // namespace vitro::ops
