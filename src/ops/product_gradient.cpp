// Gradients of matrix products.
#include <array>

#include "ops/matrices.h"
#include "ops/wide.h"
#include "vitro/core/formula.h"
#include "vitro/ops/all.h"

namespace vitro::ops {
namespace {

// Products with a bias or scales compute halves in f32.
const Operand& factor(const Formula& f, size_t i) {
  static const Operand one = 1;
  return i < f.operand_count() && f.operand(i).is_number() ? f.operand(i) : one;
}

Tensor times(const Tensor& x, const Operand& number) {
  return number.number().is(1) ? x : mul(x, number);
}

}  // namespace

void Contraction::gradient(Formula& f) {
  const Tensor& g = f.gradient();
  const auto product = [&](const Tensor& a, const Tensor& b) {
    return call_one(f.op(), std::array{Operand(a), Operand(b)}, {}, {});
  };
  if (f.wants(0)) f.set(0, product(g, transposed(f.tensor(1))));
  if (f.wants(1)) f.set(1, product(transposed(f.tensor(0)), g));
}

void Addmm::gradient(Formula& f) {
  const Tensor g = widened(f.gradient());
  if (f.wants(0)) f.set(0, times(g, factor(f, 3)));
  if (!f.wants(1) && !f.wants(2)) return;
  const Tensor scaled = times(g, factor(f, 4));
  if (f.wants(1)) f.set(1, mm(scaled, transposed(widened(f.tensor(2)))));
  if (f.wants(2)) f.set(2, mm(transposed(widened(f.tensor(1))), scaled));
}

void Linear::gradient(Formula& f) {
  const Tensor &x = f.tensor(0), &weight = f.tensor(1);
  const Sizes sizes = x.sizes();
  const Size rows = vitro::product(std::span(sizes.begin(), sizes.size() - 1));
  const Tensor g = reshape(f.gradient(), {rows, weight.size(0)});
  if (f.wants(0)) f.set(0, reshape(mm(g, weight), sizes));
  if (f.wants(1)) f.set(1, mm(transposed(g), reshape(x, {rows, sizes.back()})));
  if (f.wants(2)) f.set(2, f.gradient());
}

}  // namespace vitro::ops
