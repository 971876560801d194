// Gradients of flip, padding and unfold: elements that were read several times
// sum their gradients.
#include <array>

#include "ops/gradient.h"
#include "ops/kernel_places.h"
#include "vitro/ops/scatter.h"

namespace vitro::ops {
namespace {

Tensor numbers_below(Size end, const Tensor& beside) {
  return arange(end, {}, beside.device());
}

}  // namespace

void Flip::gradient(Formula& f) {
  f.set(0, flip(f.gradient(), f.attrs<Attrs>().dims));
}

void ConstantPadNd::gradient(Formula& f) {
  Sizes pad = f.attrs<Attrs>().pad;
  for (Size& size : pad) size = 0 - size;
  f.set(0, constant_pad_nd(f.gradient(), pad));
}

// Pads the indices of the elements in the same way, to find which element was read where.
void BorderPad::gradient(Formula& f) {
  const Tensor &x = f.tensor(0), &g = f.gradient();
  const auto dims = static_cast<int64_t>(f.attrs<Attrs>().padding.size()) / 2;
  const int64_t first = x.rank() - dims;
  Sizes sizes{1};
  for (int64_t d = first; d < x.rank(); ++d) sizes.push_back(x.size(d));
  const Size count = product(sizes);
  const Tensor numbers = reshape(numbers_below(count, x), sizes);
  const Tensor places = call_one(f.op(), std::array{Operand(numbers)}, f.attrs(), {});
  const Tensor zeros = zeros_like(reshape(x, followed_by(x, first, {count})));
  const Tensor sums = index_add(zeros, first, reshape(places, {-1}),
                                reshape(g, followed_by(x, first, {places.numel()})));
  f.set(0, reshape(sums, x.sizes()));
}

void Unfold::gradient(Formula& f) {
  const auto& a = f.attrs<Attrs>();
  const Tensor &x = f.tensor(0), &g = f.gradient();
  const int64_t dim = wrap_dim(name, a.dimension, static_cast<int>(x.rank()));
  const Tensor places = reshape(unfold(numbers_below(x.size(dim), x), 0, a.size, a.step), {-1});
  Dims order;
  for (int64_t d = 0; d < x.rank(); ++d) {
    order.push_back(d);
    if (d == dim) order.push_back(x.rank());
  }
  Sizes sizes = x.sizes();
  sizes[static_cast<size_t>(dim)] = places.numel();
  f.set(0, index_add(zeros_like(x), dim, places, reshape(permute(g, order), sizes)));
}

}  // namespace vitro::ops
