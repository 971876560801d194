// Gradients of pools: of the largest elements through their indices, of means by summing patches.
#include <tuple>

#include "core/numbers.h"
#include "ops/gradient.h"
#include "ops/memory_format.h"
#include "ops/pool_kernel.h"
#include "vitro/base/called_as.h"
#include "vitro/core/region.h"
#include "vitro/ops/binary.h"
#include "vitro/ops/choose.h"
#include "vitro/ops/operators.h"
#include "vitro/ops/scatter.h"

namespace vitro {
namespace ops {
namespace {

// The number of elements that count at each place of the kernel along dimension d of a plane, as
// sizes that broadcast over planes.
Tensor counts_along(const Kernel& k, size_t d, bool include_padding, Size size, const Tensor& g) {
  const Size places = g.sizes()[g.sizes().size() - k.dims() + d];
  const Tensor first = arange(places, {}, g.device()) * k.stride[d] - k.padding[d];
  const Tensor end = minimum(first + k.size[d], include_padding ? size + k.padding[d] : size);
  Sizes beside(k.dims() - d, Size(1));
  beside[0] = places;
  return view(end - (include_padding ? first : maximum(first, 0)), beside);
}

// Whether a window may contain no element: a dilated kernel can miss all of them over the padding.
bool may_miss(const Kernel& k) {
  for (size_t d = 0; d < k.dims(); ++d) {
    if (k.padding[d] > 0 && k.dilation[d] > 1) return true;
  }
  return false;
}

Size product_from(const Tensor& x, int64_t first) {
  Size count = 1;
  for (int64_t d = first; d < x.rank(); ++d) count = count * x.size(d);
  return count;
}

// put_by_index() of checked arguments.
Tensor put_into_planes(const Tensor& g, const Tensor& x, const Tensor& indices, int64_t planes,
                       bool may_be_outside) {
  const Size plane = product_from(x, planes);
  const Sizes sizes = followed_by(x, planes, {product_from(g, planes)});
  Tensor places = reshape(indices, sizes), parts = reshape(g, sizes);
  if (may_be_outside) {
    const Tensor is_in_plane = places < plane;
    places = where(is_in_plane, places, 0);
    parts = where(is_in_plane, parts, 0);
  }
  const Tensor none = zeros(followed_by(x, planes, {plane}), g.dtype(), g.device());
  return reshape(scatter_add(none, planes, places, parts), x.sizes());
}

// Sums g into planes of x at the indices. If a window may have been empty, its index may lie
// outside of the plane; its gradient is dropped.
Tensor put_by_index(const Tensor& g, const Tensor& x, const Tensor& indices, int dims,
                    bool may_be_outside) {
  const int64_t planes = x.rank() - dims;
  VITRO_CHECK(planes >= 0 && equal_sizes(g.sizes(), indices.sizes()) && g.rank() == x.rank(),
              "max_pool", dims,
              "d_with_indices_backward: needs an index for each gradient, and x "
              "of the same rank, got gradients of sizes ",
              numbers_of(g.sizes()), ", indices of sizes ", numbers_of(indices.sizes()),
              ", x of sizes ", numbers_of(x.sizes()));
  return region("max_pool_backward", {&g, &x, &indices},
                [&] { return put_into_planes(g, x, indices, planes, may_be_outside); });
}

// Every element under the kernel gets the same share of the gradient. The windows are summed into a
// plane of their own, which begins with the padding and ends where they do.
Tensor shared_under(const Kernel& k, const AvgPoolAttrs& a, const Tensor& g, const Tensor& x) {
  const auto dims = static_cast<int64_t>(k.dims()), planes = x.rank() - dims;
  Tensor part = g;
  if (a.divisor_override) {
    part = part / *a.divisor_override;
  } else if (a.count_include_pad && !k.ceil) {
    part = part / k.count();
  } else {
    Tensor counts;
    for (size_t d = 0; d < k.dims(); ++d) {
      const Size size = x.sizes()[static_cast<size_t>(planes) + d];
      const Tensor along = counts_along(k, d, a.count_include_pad, size, g);
      counts = d == 0 ? along : counts * along;
    }
    part = part / to(counts, part.dtype());
  }
  Sizes under, plane, ends;
  for (const int64_t size : k.size) under.push_back(size);
  for (size_t d = 0; d < k.dims(); ++d) {
    const Size places = g.sizes()[static_cast<size_t>(planes) + d];
    under.push_back(places);
    plane.push_back((places - 1) * k.stride[d] + k.size[d]);
  }
  for (int64_t d = 0; d < dims; ++d) part = unsqueeze(part, planes);
  const Tensor sums =
      sum_of_patches(expand(part, followed_by(x, planes, under)), plane, k.stride, k.dilation);
  for (size_t d = k.dims(); d-- > 0;) {
    ends.push_back(-k.padding[d]);
    ends.push_back(x.sizes()[static_cast<size_t>(planes) + d] + k.padding[d] - plane[d]);
  }
  return constant_pad_nd(sums, ends);
}

void gradient_by_index(Formula& f, int dims, const Tensor& indices) {
  const Kernel k = kernel_of(f.attrs<MaxPoolAttrs>(), dims);
  f.set(0, put_by_index(f.gradient(0), f.tensor(0), indices, dims, may_miss(k)));
}

}  // namespace

template <int dims>
void MaxPool<dims>::gradient(Formula& f) {
  using WithIndices = std::conditional_t<dims == 2, MaxPool2dWithIndices, MaxPool3dWithIndices>;
  gradient_by_index(f, dims,
                    call_many<WithIndices, 2>({}, {f.tensor(0)}, f.attrs<MaxPoolAttrs>())[1]);
}
template <int dims>
void MaxPoolWithIndices<dims>::gradient(Formula& f) {
  if (f.gradient(0).defined()) gradient_by_index(f, dims, f.result(1));
}
template <int dims>
void AvgPool<dims>::gradient(Formula& f) {
  const auto& a = f.attrs<AvgPoolAttrs>();
  f.set(0, shared_under(kernel_of(a, dims), a, f.gradient(), f.tensor(0)));
}

template void MaxPool<2>::gradient(Formula& f);
template void MaxPool<3>::gradient(Formula& f);
template void MaxPoolWithIndices<2>::gradient(Formula& f);
template void MaxPoolWithIndices<3>::gradient(Formula& f);
template void AvgPool<2>::gradient(Formula& f);
template void AvgPool<3>::gradient(Formula& f);

}  // namespace ops

namespace {

// Error of `op` unless g has the sizes of the pool's result.
void check_pooled(std::string_view op, const Tensor& g, const Tensor& x, const ops::Kernel& k) {
  const Sizes sizes = ops::pooled_sizes(op, x.rule_meta(), k);
  VITRO_CHECK(ops::equal_sizes(g.sizes(), sizes), op, ": needs a gradient of sizes ",
              numbers_of(sizes), ", got ", numbers_of(g.sizes()));
}

Tensor max_pool_backward(std::string_view op, int dims, const Tensor& g, const Tensor& x,
                         const ops::MaxPoolAttrs& attrs, const Tensor& indices) {
  const ops::Kernel k = ops::checked_kernel(op, attrs, dims);
  check_pooled(op, g, x, k);
  return ops::put_by_index(g, x, indices, dims, ops::may_miss(k));
}
Tensor avg_pool_backward(std::string_view op, int dims, const Tensor& g, const Tensor& x,
                         const ops::AvgPoolAttrs& attrs) {
  const ops::Kernel k = ops::checked_kernel(op, attrs, dims);
  check_pooled(op, g, x, k);
  return ops::shared_under(k, attrs, g, x);
}

}  // namespace

Tensor max_pool2d_with_indices_backward(ops::At grad_output, const Tensor& x, DimsArg kernel_size,
                                        DimsArg stride, DimsArg padding, DimsArg dilation,
                                        bool ceil_mode, const Tensor& indices) {
  const CalledAs name("max_pool2d_with_indices_backward", grad_output.where);
  const Tensor out =
      max_pool_backward("max_pool2d_with_indices_backward", 2, grad_output.operand.tensor(), x,
                        {kernel_size, stride, padding, dilation, ceil_mode}, indices);
  return ops::in_format_of(x, out);
}
Tensor max_pool3d_with_indices_backward(ops::At grad_output, const Tensor& x, DimsArg kernel_size,
                                        DimsArg stride, DimsArg padding, DimsArg dilation,
                                        bool ceil_mode, const Tensor& indices) {
  const CalledAs name("max_pool3d_with_indices_backward", grad_output.where);
  return max_pool_backward("max_pool3d_with_indices_backward", 3, grad_output.operand.tensor(), x,
                           {kernel_size, stride, padding, dilation, ceil_mode}, indices);
}
Tensor avg_pool2d_backward(ops::At grad_output, const Tensor& x, DimsArg kernel_size,
                           DimsArg stride, DimsArg padding, bool ceil_mode, bool count_include_pad,
                           std::optional<int64_t> divisor_override) {
  const CalledAs name("avg_pool2d_backward", grad_output.where);
  const Tensor out = avg_pool_backward(
      "avg_pool2d_backward", 2, grad_output.operand.tensor(), x,
      {kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override});
  return ops::in_format_of(x, out);
}
Tensor avg_pool3d_backward(ops::At grad_output, const Tensor& x, DimsArg kernel_size,
                           DimsArg stride, DimsArg padding, bool ceil_mode, bool count_include_pad,
                           std::optional<int64_t> divisor_override) {
  const CalledAs name("avg_pool3d_backward", grad_output.where);
  return avg_pool_backward(
      "avg_pool3d_backward", 3, grad_output.operand.tensor(), x,
      {kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override});
}
Tensor adaptive_max_pool2d_backward(ops::At grad_output, const Tensor& x, const Tensor& indices) {
  const CalledAs name("adaptive_max_pool2d_backward", grad_output.where);
  return ops::put_by_index(grad_output.operand.tensor(), x, indices, 2, false);
}
Tensor adaptive_max_pool3d_backward(ops::At grad_output, const Tensor& x, const Tensor& indices) {
  const CalledAs name("adaptive_max_pool3d_backward", grad_output.where);
  return ops::put_by_index(grad_output.operand.tensor(), x, indices, 3, false);
}

}  // namespace vitro
