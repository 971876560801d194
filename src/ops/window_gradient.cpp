// Gradients of flip, padding, convolutions and unfold: elements that were read several times
// sum their gradients.
#include <array>

#include "ops/gradient.h"
#include "ops/kernel_places.h"
#include "vitro/ops/binary.h"
#include "vitro/ops/choose.h"
#include "vitro/ops/convolution.h"
#include "vitro/ops/operators.h"
#include "vitro/ops/product.h"
#include "vitro/ops/reduce.h"
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

namespace {

// A convolution and the gradient g of its result, with a batch dimension. g has the compute type.
struct Convolved {
  const Conv2dAttrs& attrs;
  Tensor x, weight, g;
  Size n() const { return x.size(0); }
  Size of_group() const { return weight.size(0) / attrs.groups; }  // results per group
  Size places() const { return g.size(2) * g.size(3); }
  Size terms() const { return weight.size(1) * weight.size(2) * weight.size(3); }
  // How far the kernel extends beyond its first element.
  Size reach(size_t d) const {
    return (weight.size(static_cast<int64_t>(d) + 2) - 1) * attrs.dilation[d];
  }
  // One matrix for each group and element of the batch.
  Tensor matrices(const Tensor& t, Size rows, Size columns) const {
    return reshape(t, {n() * attrs.groups, rows, columns});
  }
};

// The same padding on both sides.
Tensor padded(const Tensor& x, Size down, Size across) {
  const bool none = known_equal(down, 0) && known_equal(across, 0);
  return none ? x : constant_pad_nd(x, {across, across, down, down});
}

// The gradient of the input is a convolution of g with the taps reversed, and with results and
// channels of each group exchanged.
Tensor of_input_by_convolution(const Convolved& c) {
  const Tensor w = to(c.weight, c.g.dtype());
  const Size channels = w.size(1), h = w.size(2), across = w.size(3);
  const Tensor grouped = reshape(w, {c.attrs.groups, c.of_group(), channels, h, across});
  const Tensor turned = flip(transpose(grouped, 1, 2), {3, 4});
  const Tensor weight = reshape(turned, {channels * c.attrs.groups, c.of_group(), h, across});
  const Tensor g = padded(c.g, c.reach(0) - c.attrs.padding[0], c.reach(1) - c.attrs.padding[1]);
  return conv2d(g, weight, {}, {{1, 1}, {0, 0}, c.attrs.dilation, c.attrs.groups});
}

// A product gives the contributions of each place of the kernel. With strides this is less work
// than a convolution, which would mostly read the zeros between the elements of g.
Tensor of_input_by_patches(const Convolved& c) {
  const auto& [stride, padding, dilation, groups] = c.attrs;
  const Tensor w = to(c.weight, c.g.dtype());
  const Tensor per_group = reshape(w, {1, groups, c.of_group(), c.terms()});
  const Tensor of_each = expand(per_group, {c.n(), groups, c.of_group(), c.terms()});
  const Tensor parts = bmm(transpose(c.matrices(of_each, c.of_group(), c.terms()), 1, 2),
                           c.matrices(c.g, c.of_group(), c.places()));
  const Size rows = c.x.size(2) + 2 * padding[0], row = c.x.size(3) + 2 * padding[1];
  const Tensor sums = sum_of_patches(
      reshape(parts, {c.n(), c.x.size(1), w.size(2), w.size(3), c.g.size(2), c.g.size(3)}),
      {rows, row}, stride, dilation);
  return padded(sums, -padding[0], -padding[1]);
}

Tensor of_weight(const Convolved& c) {
  const auto& [stride, padding, dilation, groups] = c.attrs;
  const Tensor parts = patches(padded(to(c.x, c.g.dtype()), padding[0], padding[1]),
                               {c.weight.size(2), c.weight.size(3)}, stride, dilation);
  const Tensor of_each = bmm(c.matrices(c.g, c.of_group(), c.places()),
                             transpose(c.matrices(parts, c.terms(), c.places()), 1, 2));
  const Tensor sums = sum(reshape(of_each, {c.n(), groups, c.of_group(), c.terms()}), {0});
  return reshape(sums, c.weight.sizes());
}

}  // namespace

void Conv2d::gradient(Formula& f) {
  const auto& a = f.attrs<Attrs>();
  const bool single = f.tensor(0).rank() == 3;
  const auto batch = [&](const Tensor& t) { return single ? unsqueeze(t, 0) : t; };
  const Tensor g = to(f.gradient(), compute_type(f.gradient().dtype()));
  const Convolved c{a, batch(f.tensor(0)), f.tensor(1), batch(g)};
  if (f.wants(0)) {
    const bool steps = a.stride[0] != 1 || a.stride[1] != 1;
    const Tensor of_x = steps ? of_input_by_patches(c) : of_input_by_convolution(c);
    f.set(0, single ? squeeze(of_x, 0) : of_x);
  }
  if (f.wants(1)) f.set(1, of_weight(c));
  if (f.wants(2)) f.set(2, sum(c.g, {0, 2, 3}));
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
