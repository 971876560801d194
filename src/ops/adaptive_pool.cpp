// Adaptive pools. Where the sizes divide, they are reductions of a view; else windows of different
// lengths are gathered.
#include <limits>

#include "core/numbers.h"
#include "ops/autocast.h"
#include "ops/memory_format.h"
#include "ops/pool_kernel.h"
#include "ops/uneven_windows.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/core/region.h"
#include "vitro/ops/choose.h"
#include "vitro/ops/create.h"
#include "vitro/ops/gather.h"
#include "vitro/ops/operators.h"
#include "vitro/ops/reduce.h"
#include "vitro/ops/scatter.h"
#include "vitro/ops/view.h"

namespace vitro {
namespace ops {

Tensor UnevenWindows::inside() const {
  const Tensor place = unsqueeze(first, 1) + arange(longest, {}, first.device());
  return place < unsqueeze(end, 1);
}
Tensor UnevenWindows::indices(Size size) const {
  return minimum(unsqueeze(first, 1) + arange(longest, {}, first.device()), size - 1);
}

UnevenWindows even_parts(Size from, Size to, Device device) {
  const Tensor at = arange(to, {}, device);
  const Size rest = from % to;
  Size longest = from / to;
  // A window that does not begin at a boundary of equal parts reaches into one more element, or
  // two.
  if (!equal(rest, 0)) longest = longest + (equal(to % rest, 0) ? 1 : 2);
  return {floor_divide(at * from, to), floor_divide((at + 1) * from + (to - 1), to), longest};
}

Tensor beside(const Tensor& of_windows, const Tensor& x, int64_t dim) {
  Sizes sizes = of_windows.sizes();
  for (int64_t d = dim + 1; d < x.rank(); ++d) sizes.push_back(1);
  return reshape(of_windows, sizes);
}

Tensor elements_under(const UnevenWindows& windows, const Tensor& x, int64_t dim,
                      const Scalar& none) {
  const auto at = static_cast<size_t>(dim);
  const Tensor indices = windows.indices(x.size(dim));
  Sizes sizes = x.sizes();
  sizes[at] = windows.longest;
  sizes.insert(at, windows.count());
  const Tensor taken = reshape(index_select(x, dim, reshape(indices, {-1})), sizes);
  return where(beside(windows.inside(), x, dim), taken, none);
}

}  // namespace ops

namespace {

// The result's sizes for planes of x, checked. `least_size`: the first dimension that must have
// elements.
Sizes checked_sizes(std::string_view op, const Tensor& x, const SizesArg& given, int dims,
                    int64_t least_size) {
  ops::check_planes(op, x.sizes(), dims);
  VITRO_CHECK(is_floating(x.dtype()), op, ": takes floating-point numbers, got ", x.dtype());
  VITRO_CHECK(given.size() == 1 || given.size() == static_cast<size_t>(dims), op,
              ": output_size needs one number or ", dims, ", got ", numbers_of(given));
  Sizes wanted = given;
  while (wanted.size() < static_cast<size_t>(dims)) wanted.push_back(given[0]);
  for (const Size size : wanted)
    VITRO_CHECK(!less(size, 0), op, ": output_size must not be negative, got ", numbers_of(given));
  for (int64_t d = least_size; d < x.rank(); ++d)
    VITRO_CHECK(less(0, x.size(d)), op, ": dimension ", d, " has no elements, got sizes ",
                numbers_of(x.sizes()));
  return wanted;
}

bool has_no_elements(const Sizes& sizes) {
  for (const Size size : sizes) {
    if (equal(size, 0)) return true;
  }
  return false;
}

// Whether the sizes of x are multiples of those wanted.
bool divides(const Tensor& x, const Sizes& wanted) {
  const size_t planes = x.sizes().size() - wanted.size();
  for (size_t d = 0; d < wanted.size(); ++d) {
    if (!equal(x.sizes()[planes + d] % wanted[d], 0)) return false;
  }
  return true;
}

// Splits the last dimensions of x into pieces [out, size / out] and returns the mean of each piece.
Tensor mean_of_pieces(const Tensor& x, const Sizes& wanted) {
  const size_t planes = x.sizes().size() - wanted.size();
  Sizes sizes = x.sizes();
  sizes.resize(planes);
  Dims folded, all;
  bool one_piece = true;
  for (size_t d = 0; d < wanted.size(); ++d) {
    one_piece = one_piece && equal(wanted[d], 1);
    all.push_back(static_cast<int64_t>(planes + d));
    sizes.push_back(wanted[d]);
    folded.push_back(static_cast<int64_t>(sizes.size()));
    sizes.push_back(x.sizes()[planes + d] / wanted[d]);
  }
  return one_piece ? mean(x, all, true) : mean(reshape(x, sizes), folded);
}

Tensor adaptive_avg_pool(std::string_view op, const ops::At& x, const SizesArg& output_size,
                         int dims) {
  const CalledAs name(op, x.where);
  const Tensor& t = x.operand.tensor();
  const int64_t planes = t.rank() - dims;
  const Sizes wanted = checked_sizes(op, t, output_size, dims, planes);
  if (has_no_elements(wanted))
    return zeros(ops::followed_by(t, planes, wanted), t.dtype(), t.device());
  return region(op, {&t}, [&]() -> Tensor {
    if (divides(t, wanted)) return mean_of_pieces(t, wanted);
    Tensor out = to(t, compute_type(t.dtype()));
    for (int64_t d = t.rank() - 1; d >= planes; --d) {
      const Size size = t.size(d), parts = wanted[static_cast<size_t>(d - planes)];
      if (known_equal(size, parts)) continue;
      const ops::UnevenWindows windows = ops::even_parts(size, parts, t.device());
      const Tensor count = to(windows.end - windows.first, out.dtype());
      out = sum(ops::elements_under(windows, out, d, 0), d + 1) / ops::beside(count, out, d);
    }
    return to(out, t.dtype());
  });
}

// Each element gets its share of the gradients of the windows that contain it.
Tensor adaptive_avg_pool_backward(std::string_view op, const ops::At& grad, const Tensor& x,
                                  int dims) {
  const CalledAs name(op, grad.where);
  const Tensor& g = grad.operand.tensor();
  ops::check_planes(op, x.sizes(), dims);
  VITRO_CHECK(g.rank() == x.rank() && g.dtype() == x.dtype(), op,
              ": needs a gradient of the rank and dtype of x, got ", g.dtype(), " of sizes ",
              numbers_of(g.sizes()), " for ", x.dtype(), " of sizes ", numbers_of(x.sizes()));
  Tensor out = to(g, compute_type(g.dtype()));
  for (int64_t d = x.rank() - dims; d < x.rank(); ++d) {
    const Size size = x.size(d), parts = g.size(d);
    if (known_equal(size, parts)) continue;
    VITRO_CHECK(less(0, parts) && less(0, size), op, ": dimension ", d,
                " has no elements, got gradients of sizes ", numbers_of(g.sizes()),
                " for x of sizes ", numbers_of(x.sizes()));
    const ops::UnevenWindows windows = ops::even_parts(size, parts, x.device());
    const Tensor count = to(windows.end - windows.first, out.dtype());
    const Tensor share = unsqueeze(out / ops::beside(count, out, d), d + 1);
    const Tensor shares = where(ops::beside(windows.inside(), out, d), share, 0);
    Sizes flat = out.sizes(), sizes = out.sizes();
    flat[static_cast<size_t>(d)] = parts * windows.longest;
    sizes[static_cast<size_t>(d)] = size;
    out = index_add(zeros(sizes, out.dtype(), out.device()), d,
                    reshape(windows.indices(size), {-1}), reshape(shares, flat));
  }
  return to(out, g.dtype());
}

// The place in its plane of each element under each window: [outputs..., longest...], and whether
// the window has it.
struct Places {
  Tensor index, inside;
};
Places places_under(const Sizes& plane, const Sizes& wanted, Device device) {
  Places all;
  const size_t dims = plane.size();
  for (size_t d = 0; d < dims; ++d) {
    const ops::UnevenWindows windows = ops::even_parts(plane[d], wanted[d], device);
    Sizes sizes(2 * dims, Size(1));
    sizes[d] = windows.count();
    sizes[dims + d] = windows.longest;
    const Tensor index = reshape(windows.indices(plane[d]), sizes);
    const Tensor inside = reshape(windows.inside(), sizes);
    all.index = d == 0 ? index : all.index * plane[d] + index;
    all.inside = d == 0 ? inside : logical_and(all.inside, inside);
  }
  return all;
}

// The index of the largest element of each window: the first of equals, the last NaN.
Tensor index_of_largest(const Tensor& x, const Places& places, const DimsArg& windows) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const Tensor elements = where(places.inside, x, -inf), is_nan = isnan(elements);
  const Tensor largest = amax(elements, windows, true);
  const Tensor equals = logical_and(places.inside, elements == largest);
  const Tensor first = amin(where(equals, places.index, INT64_MAX), windows);
  const Tensor last_nan = amax(where(is_nan, places.index, -1), windows);
  return where(last_nan < 0, first, last_nan);
}

std::tuple<Tensor, Tensor> adaptive_max_pool(std::string_view op, const ops::At& x,
                                             const SizesArg& output_size, int dims) {
  const CalledAs name(op, x.where);
  const Tensor& t = x.operand.tensor();
  const int64_t planes = t.rank() - dims;
  const Sizes wanted = checked_sizes(op, t, output_size, dims, 1);
  const Sizes sizes = ops::followed_by(t, planes, wanted);
  if (has_no_elements(wanted))
    return {zeros(sizes, t.dtype(), t.device()), zeros(sizes, DType::i64, t.device())};
  Sizes plane;
  DimsArg windows;
  for (int64_t d = planes; d < t.rank(); ++d) {
    plane.push_back(t.size(d));
    windows.push_back(d + dims);
  }
  const Places places = places_under(plane, wanted, t.device());
  const Tensor flat = reshape({t, x.where}, ops::followed_by(t, planes, {product(plane)}));
  const Tensor elements = reshape(index_select(flat, planes, reshape(places.index, {-1})),
                                  ops::followed_by(t, planes, places.index.sizes()));
  const Tensor indices = index_of_largest(elements, places, windows);
  const Tensor values =
      gather(flat, planes, reshape(indices, ops::followed_by(t, planes, {product(wanted)})));
  return {reshape(values, sizes), indices};
}

}  // namespace

Tensor adaptive_avg_pool1d(ops::At x, SizesArg output_size) {
  return adaptive_avg_pool("adaptive_avg_pool1d", x, output_size, 1);
}
Tensor adaptive_avg_pool2d(ops::At x, SizesArg output_size) {
  return ops::in_format_of(x.operand.tensor(),
                           adaptive_avg_pool("adaptive_avg_pool2d", x, output_size, 2));
}
Tensor adaptive_avg_pool3d(ops::At x, SizesArg output_size) {
  if (autocasts()) return autocasted("adaptive_avg_pool3d", &adaptive_avg_pool3d, x, output_size);
  return adaptive_avg_pool("adaptive_avg_pool3d", x, output_size, 3);
}
Tensor adaptive_avg_pool2d_backward(ops::At grad_output, const Tensor& x) {
  return adaptive_avg_pool_backward("_adaptive_avg_pool2d_backward", grad_output, x, 2);
}
Tensor adaptive_avg_pool3d_backward(ops::At grad_output, const Tensor& x) {
  return adaptive_avg_pool_backward("_adaptive_avg_pool3d_backward", grad_output, x, 3);
}
std::tuple<Tensor, Tensor> adaptive_max_pool1d(ops::At x, SizesArg output_size) {
  return adaptive_max_pool("adaptive_max_pool1d", x, output_size, 1);
}
std::tuple<Tensor, Tensor> adaptive_max_pool2d(ops::At x, SizesArg output_size) {
  const auto [values, indices] = adaptive_max_pool("adaptive_max_pool2d", x, output_size, 2);
  const Tensor& t = x.operand.tensor();
  return {ops::in_format_of(t, values), ops::in_format_of(t, indices)};
}
std::tuple<Tensor, Tensor> adaptive_max_pool3d(ops::At x, SizesArg output_size) {
  if (autocasts()) return autocasted("adaptive_max_pool3d", &adaptive_max_pool3d, x, output_size);
  return adaptive_max_pool("adaptive_max_pool3d", x, output_size, 3);
}

}  // namespace vitro
