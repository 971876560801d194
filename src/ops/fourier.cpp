// The op of Fourier transforms: its shape rule and its gradient.
#include "vitro/ops/fourier.h"

#include "core/numbers.h"
#include "ops/value.h"
#include "vitro/base/error.h"
#include "vitro/core/formula.h"
#include "vitro/ops/create.h"
#include "vitro/ops/view.h"

namespace vitro::ops {
namespace {

Tensor transformed(const Tensor& x, FftAttrs attrs) {
  return call<FftPairs>({}, {x}, attrs);
}

// The numbers of a half spectrum stand for two of a whole one, except at both ends of it.
Value weighted(const Tensor& half, const FftAttrs& a, double weight) {
  const Value k = arange(half.size(a.dim), DType::i64, half.device());
  const Value is_end = (k == 0) | (k * 2 == Scalar(a.n));
  Value weights = where(is_end, 1, to(k * 0, half.dtype()) + weight);
  for (int64_t d = a.dim + 1; d < half.rank(); ++d) weights = unsqueeze(weights, -1);
  return Value(half) * weights;
}

}  // namespace

void FftPairs::shape(ShapeCall& call) {
  const TensorMeta& x = *call.operands[0].meta;
  const auto& a = call.attrs.as<Attrs>();
  const bool from_pairs = a.kind != FftKind::r2c, to_pairs = a.kind != FftKind::c2r;
  VITRO_CHECK(x.dtype == DType::f32 || x.dtype == DType::f64, call.op, ": takes f32 or f64, got ",
              x.dtype, "; cast it first");
  const int64_t rank = x.rank() - (from_pairs ? 1 : 0);
  VITRO_CHECK(rank >= 1 && 0 <= a.dim && a.dim < rank, call.op, ": dimension ", a.dim,
              " is out of range for sizes ", numbers_of(x.sizes));
  VITRO_CHECK(!from_pairs || equal(x.sizes.back(), 2), call.op,
              ": needs pairs in the last dimension, got sizes ", numbers_of(x.sizes));
  VITRO_CHECK(less(0, a.n), call.op, ": the length of the signal must be at least 1, got ",
              number_of(a.n));
  const Size half = a.n / 2 + 1, taken = a.kind == FftKind::c2r ? half : a.n;
  const auto at = static_cast<size_t>(a.dim);
  VITRO_CHECK(equal(x.sizes[at], taken), call.op, ": a signal of length ", number_of(a.n),
              " needs size ", number_of(taken), " along dimension ", a.dim, ", got sizes ",
              numbers_of(x.sizes));
  Sizes out = x.sizes;
  out[at] = a.kind == FftKind::r2c ? half : a.n;
  if (from_pairs && !to_pairs) out.pop_back();
  if (to_pairs && !from_pairs) out.push_back(2);
  call.results.push_back(dense(x.dtype, x.device, std::move(out)));
}

void FftPairs::gradient(Formula& f) {
  FftAttrs a = f.attrs<Attrs>();
  a.forward = !a.forward;
  const Tensor& g = f.gradient();
  if (a.kind == FftKind::c2c) return f.set(0, transformed(g, a));
  const FftKind kind = a.kind;
  a.kind = kind == FftKind::r2c ? FftKind::c2r : FftKind::r2c;
  if (kind == FftKind::r2c) return f.set(0, transformed(weighted(g, a, 0.5), a));
  f.set(0, weighted(transformed(g, a), a, 2));
}

}  // namespace vitro::ops
