// The gradients of flip, padding, pools and unfold: elements that were read more than once add up.
#include <array>

#include "ops/gradient.h"
#include "ops/kernel_places.h"
#include "vitro/ops/binary.h"
#include "vitro/ops/choose.h"
#include "vitro/ops/operators.h"
#include "vitro/ops/scatter.h"

namespace vitro::ops {
namespace {

// x's sizes up to dimension `first`, then `rest`.
Sizes followed_by(const Tensor& x, int64_t first, const Sizes& rest) {
  Sizes sizes = x.sizes();
  sizes.resize(static_cast<size_t>(first));
  for (const Size size : rest) sizes.push_back(size);
  return sizes;
}

Tensor numbers_below(Size end, const Tensor& beside) {
  return arange(end, {}, beside.device());
}

// How many elements of x count for each place of the kernel along one of the last two dimensions.
Tensor counts_along(const Kernel& k, size_t d, bool include_padding, const Tensor& x, Size places) {
  const Size size = x.size(static_cast<int64_t>(d) - 2);
  const Tensor first = numbers_below(places, x) * k.stride[d] - k.padding[d];
  const Tensor end = minimum(first + k.size[d], include_padding ? size + k.padding[d] : size);
  return end - (include_padding ? first : maximum(first, 0));
}

// Whether a window may hold no element: in steps of more than one over the padding it can miss all.
bool may_miss(const Kernel& k) {
  return (k.padding[0] > 0 && k.dilation[0] > 1) || (k.padding[1] > 0 && k.dilation[1] > 1);
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

// Padding the numbers of the elements tells which of them was read where.
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

// The element that was taken has it all; where there was none, and its number is none of the plane,
// it goes nowhere.
void MaxPool::gradient(Formula& f) {
  const auto& a = f.attrs<Attrs>();
  const Tensor &x = f.tensor(0), &g = f.gradient(0);
  if (!g.defined()) return;
  const bool knows = &f.op() == &def<MaxPool2dWithIndices>();
  const Tensor taken = knows ? f.result(1)
                             : std::get<1>(max_pool2d_with_indices(
                                   x, a.kernel_size, a.stride, a.padding, a.dilation, a.ceil_mode));
  const int64_t planes = x.rank() - 2;
  const Size plane = x.size(-2) * x.size(-1);
  const Tensor zeros = zeros_like(reshape(x, followed_by(x, planes, {plane})));
  const Sizes sizes = followed_by(x, planes, {g.size(-2) * g.size(-1)});
  Tensor places = reshape(taken, sizes), parts = reshape(g, sizes);
  if (may_miss(kernel_of(a))) {
    const Tensor is_in_plane = places < plane;
    places = where(is_in_plane, places, 0);
    parts = where(is_in_plane, parts, 0);
  }
  f.set(0, reshape(scatter_add(zeros, planes, places, parts), x.sizes()));
}

// Each element under the kernel has the same part of the gradient.  The windows cover a plane of
// their own, from the padding on as far as they reach.
void AvgPool2d::gradient(Formula& f) {
  const auto& a = f.attrs<Attrs>();
  const Kernel k = kernel_of(a);
  const Tensor& x = f.tensor(0);
  const Size h = f.gradient().size(-2), w = f.gradient().size(-1);
  Tensor part = f.gradient();
  if (a.divisor_override) {
    part = part / *a.divisor_override;
  } else if (a.count_include_pad && !k.ceil) {
    part = part / k.count();
  } else {
    const Tensor down = counts_along(k, 0, a.count_include_pad, x, h);
    const Tensor across = counts_along(k, 1, a.count_include_pad, x, w);
    part = part / to(unsqueeze(down, 1) * across, part.dtype());
  }
  const Size rows = (h - 1) * k.stride[0] + k.size[0], row = (w - 1) * k.stride[1] + k.size[1];
  const Tensor places = patches(reshape(numbers_below(rows * row, x), {1, rows, row}),
                                {k.size[0], k.size[1]}, {k.stride[0], k.stride[1]}, {1, 1});
  const int64_t planes = x.rank() - 2;
  const Tensor parts = expand(unsqueeze(unsqueeze(part, planes), planes),
                              followed_by(x, planes, {k.size[0], k.size[1], h, w}));
  const Tensor sums =
      index_add(zeros(followed_by(x, planes, {rows * row}), part.dtype(), x.device()), planes,
                reshape(places, {-1}), reshape(parts, followed_by(x, planes, {k.count() * h * w})));
  const Size below = x.size(-2) + k.padding[0] - rows, right = x.size(-1) + k.padding[1] - row;
  f.set(0, constant_pad_nd(reshape(sums, followed_by(x, planes, {rows, row})),
                           {-k.padding[1], right, -k.padding[0], below}));
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
