// Pools: shape rules and index maps of windows, and the public functions, which choose between
// windows and reductions of a view of the patches.
#include "vitro/ops/pool.h"

#include <limits>

#include "core/numbers.h"
#include "ops/autocast.h"
#include "ops/memory_format.h"
#include "ops/pool_kernel.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/core/region.h"
#include "vitro/ops/create.h"
#include "vitro/ops/operators.h"
#include "vitro/ops/reduce.h"
#include "vitro/ops/scatter.h"
#include "vitro/ops/view.h"

namespace vitro {
namespace ops {

using sym::Expr;

Kernel checked_kernel(std::string_view op, const MaxPoolAttrs& a, int dims) {
  check_numbers(op, "kernel_size", a.kernel_size, dims, 1);
  if (!a.stride.empty()) check_numbers(op, "stride", a.stride, dims, 1);
  check_numbers(op, "padding", a.padding, dims, 0);
  check_numbers(op, "dilation", a.dilation, dims, 1);
  return kernel_of(a, dims);
}
Kernel checked_kernel(std::string_view op, const AvgPoolAttrs& a, int dims) {
  check_numbers(op, "kernel_size", a.kernel_size, dims, 1);
  if (!a.stride.empty()) check_numbers(op, "stride", a.stride, dims, 1);
  check_numbers(op, "padding", a.padding, dims, 0);
  return kernel_of(a, dims);
}

void check_planes(std::string_view op, const Sizes& x, int dims) {
  const auto rank = static_cast<int>(x.size());
  VITRO_CHECK(rank == dims + 1 || rank == dims + 2, op, ": needs x of rank ", dims + 2,
              " (a batch) or ", dims + 1, ", got sizes ", numbers_of(x));
}

Sizes pooled_sizes(std::string_view op, const TensorMeta& x, const Kernel& k) {
  check_planes(op, x.sizes, static_cast<int>(k.dims()));
  Sizes sizes = x.sizes;
  VITRO_CHECK(!equal(sizes[sizes.size() - k.dims() - 1], 0), op, ": x has no channels, sizes ",
              numbers_of(x.sizes));
  for (size_t d = 0; d < k.dims(); ++d) {
    Size& size = sizes[sizes.size() - k.dims() + d];
    VITRO_CHECK(k.padding[d] <= k.size[d] / 2, op, ": padding ", k.padding[d],
                " is more than half of the kernel_size ", k.size[d]);
    const Size least = k.ceil ? k.reach(d) - (k.stride[d] - 1) : k.reach(d);
    VITRO_CHECK(less(0, size) && !less(size + 2 * k.padding[d], least), op,
                ": the kernel extends over ", k.reach(d), " elements of dimension ",
                static_cast<int>(d) - static_cast<int>(k.dims()), ", x has ", number_of(size),
                " there, and ", k.padding[d], " of padding on each side");
    size = places_of(k, d, size);
  }
  return sizes;
}

namespace {

// The maximum number of taps of a window op: each is unrolled in code.
constexpr int64_t most_taps = 1024;

const TensorMeta& operand_of(const ShapeCall& call) {
  VITRO_CHECK(call.operands[0].meta, call.op, ": takes a tensor");
  return *call.operands[0].meta;
}

// `keeps_format`: channels of the result are next to one another if those of x are.
void push_pooled(ShapeCall& call, const Kernel& k, std::string_view reduction, bool keeps_format) {
  const TensorMeta& in = operand_of(call);
  VITRO_CHECK(k.count() <= most_taps, call.op, ": a kernel of ", k.count(),
              " elements is larger than ", most_taps, "; take ", reduction,
              " of the dimensions that it covers");
  call.results.push_back(dense_in(keeps_format && has_channels_last(in), in.dtype, in.device,
                                  pooled_sizes(call.op, in, k)));
}

void shape_of_max_pool(ShapeCall& call, int dims) {
  const Kernel k = checked_kernel(call.op, call.attrs.as<MaxPoolAttrs>(), dims);
  const DType dtype = operand_of(call).dtype;
  VITRO_CHECK(!is_bool(dtype), call.op, ": takes numbers, got ", dtype, "; cast them first");
  push_pooled(call, k, "amax", true);
}

IndexList under_kernel(const Kernel& k, std::span<const Expr> index, int64_t tap) {
  IndexList out(index);
  for (size_t d = k.dims(); d-- > 0;) {
    Expr& e = out[out.size() - k.dims() + d];
    e = e * k.stride[d] + (tap % k.size[d] * k.dilation[d] - k.padding[d]);
    tap /= k.size[d];
  }
  return out;
}

}  // namespace

template <int dims>
void MaxPool<dims>::shape(ShapeCall& call) {
  shape_of_max_pool(call, dims);
}
template <int dims>
int64_t MaxPool<dims>::taps(AttrsView attrs) {
  return kernel_of(attrs.as<Attrs>(), dims).count();
}
template <int dims>
IndexList MaxPool<dims>::map(const TensorMeta&, const TensorMeta&, AttrsView attrs,
                             std::span<const Expr> index, int64_t tap) {
  return under_kernel(kernel_of(attrs.as<Attrs>(), dims), index, tap);
}

template <int dims>
void MaxPoolWithIndices<dims>::shape(ShapeCall& call) {
  shape_of_max_pool(call, dims);
  TensorMeta indices = call.results[0];
  indices.dtype = DType::i64;
  call.results.push_back(std::move(indices));
}
template <int dims>
Expr MaxPoolWithIndices<dims>::first_place(const TensorMeta& operand, const TensorMeta&,
                                           AttrsView attrs, std::span<const Expr> index) {
  const Kernel k = kernel_of(attrs.as<Attrs>(), dims);
  Expr place = 0;
  for (size_t d = 0; d < dims; ++d) {
    const Expr first = index[index.size() - dims + d] * k.stride[d] - k.padding[d];
    const bool before = k.padding[d] > 0;  // the first taps may be outside
    place = place * operand.sizes[operand.sizes.size() - dims + d].expr() +
            (before ? sym::max(first, sym::mod(first, k.dilation[d])) : first);
  }
  return place;
}

template <int dims>
void AvgPool<dims>::shape(ShapeCall& call) {
  const auto& a = call.attrs.as<Attrs>();
  const Kernel k = checked_kernel(call.op, a, dims);
  const DType dtype = operand_of(call).dtype;
  VITRO_CHECK(is_floating(dtype) || dtype == DType::i64, call.op,
              ": takes floating-point numbers or i64, got ", dtype, "; cast them first");
  VITRO_CHECK(a.divisor_override != 0, call.op, ": divisor_override must not be 0");
  push_pooled(call, k, "the mean", dims == 2);
}
template <int dims>
int64_t AvgPool<dims>::taps(AttrsView attrs) {
  return kernel_of(attrs.as<Attrs>(), dims).count();
}
template <int dims>
IndexList AvgPool<dims>::map(const TensorMeta&, const TensorMeta&, AttrsView attrs,
                             std::span<const Expr> index, int64_t tap) {
  return under_kernel(kernel_of(attrs.as<Attrs>(), dims), index, tap);
}
template <int dims>
Expr AvgPool<dims>::count(const TensorMeta& operand, const TensorMeta&, AttrsView attrs,
                          std::span<const Expr> index) {
  const auto& a = attrs.as<Attrs>();
  const Kernel k = kernel_of(a, dims);
  if (a.divisor_override) return *a.divisor_override;
  if (a.count_include_pad && !k.ceil) return k.count();
  Expr count = 1;
  for (size_t d = 0; d < dims; ++d) {
    const Expr size = operand.sizes[operand.sizes.size() - dims + d].expr();
    const Expr first = index[index.size() - dims + d] * k.stride[d] - k.padding[d];
    const Expr inside = a.count_include_pad ? Expr(k.padding[d]) : Expr(0);
    const Expr begin = a.count_include_pad ? first : sym::max(first, 0);
    count = count * (sym::min(first + k.size[d], size + inside) - begin);
  }
  return count;
}

template struct MaxPool<2>;
template struct MaxPool<3>;
template struct MaxPoolWithIndices<2>;
template struct MaxPoolWithIndices<3>;
template struct AvgPool<2>;
template struct AvgPool<3>;

}  // namespace ops

namespace {

// Kernels of more elements are computed as a reduction of a view, and those that cover the plane.
constexpr int64_t large_kernel = 64;

Scalar least_of(DType dtype) {
  if (is_floating(dtype)) return -std::numeric_limits<double>::infinity();
  if (dtype == DType::u8) return 0;
  return std::numeric_limits<int64_t>::min() >> (64 - 8 * bytes_of(dtype));
}

bool covers_plane(const ops::Kernel& k, const Tensor& x) {
  const int64_t planes = x.rank() - static_cast<int64_t>(k.dims());
  if (k.pads() || planes < 0) return false;
  for (size_t d = 0; d < k.dims(); ++d) {
    if (k.dilation[d] != 1 || !known_equal(x.size(planes + static_cast<int64_t>(d)), k.size[d]))
      return false;
  }
  return true;
}

bool is_large(std::string_view op, const ops::Kernel& k, const Tensor& x) {
  if (k.ceil || (k.count() <= large_kernel && !covers_plane(k, x))) return false;
  (void)ops::pooled_sizes(op, x.rule_meta(), k);
  return true;
}

// The dimensions of the kernel in a view of patches.
DimsArg of_kernel(const ops::Kernel& k) {
  DimsArg dims;
  for (size_t d = 0; d < k.dims(); ++d) dims.push_back(-static_cast<int64_t>(d + k.dims()) - 1);
  return dims;
}

template <class Op>
Tensor max_pool(const ops::At& x, const ops::MaxPoolAttrs& attrs, int dims) {
  const CalledAs name(Op::name, x.where);
  const ops::Kernel k = ops::checked_kernel(Op::name, attrs, dims);
  const Tensor& t = x.operand.tensor();
  if (!is_bool(t.dtype()) && is_large(Op::name, k, t))
    return region(Op::name, {&t}, [&] {
      const Tensor padded = ops::padded_planes(t, k, least_of(t.dtype()));
      return ops::in_format_of(t, amax(ops::patches_under(k, padded), of_kernel(k)));
    });
  return ops::call<Op>(x.where, {x.operand}, attrs);
}

template <class Op>
Tensor avg_pool(const ops::At& x, const ops::AvgPoolAttrs& attrs, int dims) {
  const CalledAs name(Op::name, x.where);
  const ops::Kernel k = ops::checked_kernel(Op::name, attrs, dims);
  const Tensor& t = x.operand.tensor();
  const bool counts_all = attrs.count_include_pad || !k.pads();
  if (counts_all && !attrs.divisor_override && is_floating(t.dtype()) && is_large(Op::name, k, t)) {
    return region(Op::name, {&t}, [&] {
      const Tensor means = mean(ops::patches_under(k, ops::padded_planes(t, k, 0)), of_kernel(k));
      return dims == 2 ? ops::in_format_of(t, means) : means;
    });
  }
  return ops::call<Op>(x.where, {x.operand}, attrs);
}

template <class Op>
std::tuple<Tensor, Tensor> max_pool_with_indices(const ops::At& x, const ops::MaxPoolAttrs& attrs) {
  auto [values, indices] = ops::call_many<Op, 2>(x.where, {x.operand}, attrs);
  return {std::move(values), std::move(indices)};
}

}  // namespace

Tensor max_pool2d(ops::At x, DimsArg kernel_size, DimsArg stride, DimsArg padding, DimsArg dilation,
                  bool ceil_mode) {
  return max_pool<ops::MaxPool2d>(x, {kernel_size, stride, padding, dilation, ceil_mode}, 2);
}
Tensor max_pool3d(ops::At x, DimsArg kernel_size, DimsArg stride, DimsArg padding, DimsArg dilation,
                  bool ceil_mode) {
  return max_pool<ops::MaxPool3d>(x, {kernel_size, stride, padding, dilation, ceil_mode}, 3);
}
std::tuple<Tensor, Tensor> max_pool2d_with_indices(ops::At x, DimsArg kernel_size, DimsArg stride,
                                                   DimsArg padding, DimsArg dilation,
                                                   bool ceil_mode) {
  return max_pool_with_indices<ops::MaxPool2dWithIndices>(
      x, {kernel_size, stride, padding, dilation, ceil_mode});
}
std::tuple<Tensor, Tensor> max_pool3d_with_indices(ops::At x, DimsArg kernel_size, DimsArg stride,
                                                   DimsArg padding, DimsArg dilation,
                                                   bool ceil_mode) {
  return max_pool_with_indices<ops::MaxPool3dWithIndices>(
      x, {kernel_size, stride, padding, dilation, ceil_mode});
}
Tensor avg_pool2d(ops::At x, DimsArg kernel_size, DimsArg stride, DimsArg padding, bool ceil_mode,
                  bool count_include_pad, std::optional<int64_t> divisor_override) {
  return avg_pool<ops::AvgPool2d>(
      x, {kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override}, 2);
}
Tensor avg_pool3d(ops::At x, DimsArg kernel_size, DimsArg stride, DimsArg padding, bool ceil_mode,
                  bool count_include_pad, std::optional<int64_t> divisor_override) {
  return avg_pool<ops::AvgPool3d>(
      x, {kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override}, 3);
}

namespace {

// Converts x and the parameters of a 1d pool to those of a 2d pool over planes of height 1.
struct OfWidth {
  std::string_view op;

  Tensor plane(const ops::At& x) const {
    ops::check_planes(op, x.operand.tensor().sizes(), 1);
    return unsqueeze({x.operand.tensor(), x.where}, -2);
  }
  // `of_height` leaves the height unchanged; it is also the lower bound for `of_width`.
  DimsArg operator()(std::string_view what, int64_t of_height, const DimsArg& of_width) const {
    VITRO_CHECK(of_width.size() == 1, op, ": ", what, " takes one number, got ", of_width);
    VITRO_CHECK(of_width[0] >= of_height, op, ": ", what, " must be at least ", of_height, ", got ",
                of_width[0]);
    return {of_height, of_width[0]};
  }
  DimsArg stride(const DimsArg& given) const {
    return given.empty() ? given : (*this)("stride", 1, given);
  }
};

}  // namespace

Tensor max_pool1d(ops::At x, DimsArg kernel_size, DimsArg stride, DimsArg padding, DimsArg dilation,
                  bool ceil_mode) {
  const CalledAs name("max_pool1d", x.where);
  constexpr OfWidth of_width{"max_pool1d"};
  return squeeze(max_pool2d({of_width.plane(x), x.where}, of_width("kernel_size", 1, kernel_size),
                            of_width.stride(stride), of_width("padding", 0, padding),
                            of_width("dilation", 1, dilation), ceil_mode),
                 -2);
}
std::tuple<Tensor, Tensor> max_pool1d_with_indices(ops::At x, DimsArg kernel_size, DimsArg stride,
                                                   DimsArg padding, DimsArg dilation,
                                                   bool ceil_mode) {
  const CalledAs name("max_pool1d_with_indices", x.where);
  constexpr OfWidth of_width{"max_pool1d_with_indices"};
  const auto [values, indices] =
      max_pool2d_with_indices({of_width.plane(x), x.where}, of_width("kernel_size", 1, kernel_size),
                              of_width.stride(stride), of_width("padding", 0, padding),
                              of_width("dilation", 1, dilation), ceil_mode);
  return {squeeze(values, -2), squeeze(indices, -2)};
}
Tensor avg_pool1d(ops::At x, DimsArg kernel_size, DimsArg stride, DimsArg padding, bool ceil_mode,
                  bool count_include_pad) {
  const CalledAs name("avg_pool1d", x.where);
  constexpr OfWidth of_width{"avg_pool1d"};
  return squeeze(avg_pool2d({of_width.plane(x), x.where}, of_width("kernel_size", 1, kernel_size),
                            of_width.stride(stride), of_width("padding", 0, padding), ceil_mode,
                            count_include_pad),
                 -2);
}

namespace {

// The root of the sum of the powers, from their mean over `count` elements.
Tensor norm_of_powers(const Tensor& mean_of_powers, double norm, int64_t count) {
  return pow(mean_of_powers * count, 1.0 / norm);
}

int64_t count_of(std::string_view op, const DimsArg& kernel_size, int dims) {
  return ops::checked_kernel(op, ops::AvgPoolAttrs{kernel_size, {}, 0, false, true, {}}, dims)
      .count();
}

Tensor powers_of(const ops::At& x, double norm) {
  return pow({x.operand.tensor(), x.where}, norm);
}

}  // namespace

Tensor lp_pool1d(ops::At x, double norm, DimsArg kernel_size, DimsArg stride, bool ceil_mode) {
  const CalledAs name("lp_pool1d", x.where);
  const Tensor means = avg_pool1d({powers_of(x, norm), x.where}, kernel_size, stride, 0, ceil_mode);
  return norm_of_powers(means, norm, kernel_size[0]);
}
Tensor lp_pool2d(ops::At x, double norm, DimsArg kernel_size, DimsArg stride, bool ceil_mode) {
  const CalledAs name("lp_pool2d", x.where);
  const Tensor means = avg_pool2d({powers_of(x, norm), x.where}, kernel_size, stride, 0, ceil_mode);
  return norm_of_powers(means, norm, count_of("lp_pool2d", kernel_size, 2));
}
Tensor lp_pool3d(ops::At x, double norm, DimsArg kernel_size, DimsArg stride, bool ceil_mode) {
  const CalledAs name("lp_pool3d", x.where);
  const Tensor means = avg_pool3d({powers_of(x, norm), x.where}, kernel_size, stride, 0, ceil_mode);
  return norm_of_powers(means, norm, count_of("lp_pool3d", kernel_size, 3));
}

namespace {

Tensor unpooled(std::string_view op, const ops::At& x, const Tensor& indices,
                const SizesArg& output_size, int dims) {
  const Tensor& t = x.operand.tensor();
  ops::check_planes(op, t.sizes(), dims);
  VITRO_CHECK(output_size.size() == static_cast<size_t>(dims), op, ": needs ", dims, " sizes, got ",
              numbers_of(output_size));
  VITRO_CHECK(indices.dtype() == DType::i64 && ops::equal_sizes(t.sizes(), indices.sizes()), op,
              ": needs an i64 index for each element of x, got ", indices.dtype(), " of sizes ",
              numbers_of(indices.sizes()), " for x of sizes ", numbers_of(t.sizes()));
  const int64_t planes = t.rank() - dims;
  Size count = 1;
  for (int64_t d = planes; d < t.rank(); ++d) count = count * t.size(d);
  const Sizes flat = ops::followed_by(t, planes, {count});
  const Tensor none =
      zeros(ops::followed_by(t, planes, {product(output_size)}), t.dtype(), t.device());
  const Tensor placed =
      scatter({none, x.where}, planes, reshape(indices, flat), reshape({t, x.where}, flat));
  return ops::in_format_of(t, reshape(placed, ops::followed_by(t, planes, output_size)));
}

}  // namespace

Tensor max_unpool2d(ops::At x, const Tensor& indices, SizesArg output_size) {
  if (autocasts()) return autocasted("max_unpool2d", &max_unpool2d, x, indices, output_size);
  const CalledAs name("max_unpool2d", x.where);
  return unpooled("max_unpool2d", x, indices, output_size, 2);
}
Tensor max_unpool3d(ops::At x, const Tensor& indices, SizesArg output_size, DimsArg stride,
                    DimsArg padding) {
  if (autocasts())
    return autocasted("max_unpool3d", &max_unpool3d, x, indices, output_size, stride, padding);
  const CalledAs name("max_unpool3d", x.where);
  ops::check_numbers("max_unpool3d", "stride", stride, 3, 1);
  ops::check_numbers("max_unpool3d", "padding", padding, 3, 0);
  return unpooled("max_unpool3d", x, indices, output_size, 3);
}

}  // namespace vitro
