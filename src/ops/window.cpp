// Shape rules and index maps of windows (flip, padding, pools), the view `unfold`, and im2col,
// whose patches convolutions use too.
#include "vitro/ops/window.h"

#include <algorithm>
#include <array>

#include "core/numbers.h"
#include "ops/kernel_places.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/ops/choose.h"
#include "vitro/ops/create.h"
#include "vitro/ops/gather.h"
#include "vitro/ops/operators.h"
#include "vitro/ops/reduce.h"
#include "vitro/ops/unary.h"

namespace vitro {
namespace ops {
namespace {

using sym::Expr;

const TensorMeta& operand_of(const ShapeCall& call) {
  VITRO_CHECK(call.operands[0].meta, call.op, ": takes a tensor");
  return *call.operands[0].meta;
}

// Elements before and after dimension `d`; the list starts with the last dimension.
struct Sides {
  Size before, after;
};
Sides sides_of(const Sizes& pad, int rank, size_t d) {
  const size_t at = 2 * (static_cast<size_t>(rank) - 1 - d);
  return at + 1 < pad.size() ? Sides{pad[at], pad[at + 1]} : Sides{0, 0};
}

IndexList before_padding(const TensorMeta& operand, const Sizes& pad, std::span<const Expr> index) {
  IndexList out;
  for (size_t d = 0; d < index.size(); ++d)
    out.push_back(index[d] - sides_of(pad, operand.rank(), d).before.expr());
  return out;
}

}  // namespace

// ---- flip ----

namespace {

Dims flipped_dims(AttrsView attrs, int rank) {
  const Dims& dims = attrs.as<FlipAttrs>().dims;
  return dims.empty() ? Dims() : wrap_dims(Flip::name, dims, rank);
}

}  // namespace

void Flip::shape(ShapeCall& call) {
  const TensorMeta& in = operand_of(call);
  (void)flipped_dims(call.attrs, in.rank());
  call.results.push_back({in.dtype, in.device, in.sizes, strides_like(in), 0});
}

IndexList Flip::map(const TensorMeta& operand, const TensorMeta&, AttrsView attrs,
                    std::span<const Expr> index, int64_t) {
  IndexList out{index};
  for (const int64_t dim : flipped_dims(attrs, operand.rank())) {
    const auto d = static_cast<size_t>(dim);
    out[d] = operand.sizes[d].expr() - 1 - out[d];
  }
  return out;
}

// ---- padding ----

void ConstantPadNd::shape(ShapeCall& call) {
  const TensorMeta& in = operand_of(call);
  const Sizes& pad = call.attrs.as<Attrs>().pad;
  VITRO_CHECK(pad.size() % 2 == 0 && pad.size() <= 2 * in.sizes.size(), call.op,
              ": pad needs two numbers for each of the last dimensions, at most ",
              2 * in.sizes.size(), ", got ", pad);
  Sizes sizes = in.sizes;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const auto [before, after] = sides_of(pad, in.rank(), d);
    const Size size = sizes[d];
    sizes[d] = size + before + after;
    // What one side removes is not made up for by the other one.
    const auto removes_all = [&](Size side) { return less(side, 0) && less(size + side, 0); };
    VITRO_CHECK(!removes_all(before) && !removes_all(after) && !less(sizes[d], 0), call.op,
                ": pad ", pad, " removes more elements than there are in dimension ", d,
                " of sizes ", in.sizes);
  }
  call.results.push_back(dense(in.dtype, in.device, sizes));
}

IndexList ConstantPadNd::map(const TensorMeta& operand, const TensorMeta&, AttrsView attrs,
                             std::span<const Expr> index, int64_t) {
  return before_padding(operand, attrs.as<Attrs>().pad, index);
}

void shape_of_border_pad(ShapeCall& call, int dims, bool reflects) {
  const TensorMeta& in = operand_of(call);
  const Sizes& pad = call.attrs.as<BorderPadAttrs>().padding;
  VITRO_CHECK(static_cast<int>(pad.size()) == 2 * dims, call.op, ": padding needs ", 2 * dims,
              " numbers, got ", pad);
  VITRO_CHECK(in.rank() == dims + 1 || in.rank() == dims + 2, call.op, ": needs x of rank ",
              dims + 2, " (a batch) or ", dims + 1, ", got sizes ", in.sizes);
  Sizes sizes = in.sizes;
  for (size_t d = sizes.size() - static_cast<size_t>(dims); d < sizes.size(); ++d) {
    const auto [before, after] = sides_of(pad, in.rank(), d);
    const Size size = in.sizes[d];
    VITRO_CHECK(less(0, size), call.op, ": dimension ", d, " has no elements to repeat, got sizes ",
                in.sizes);
    VITRO_CHECK(!reflects || (less(before, size) && less(after, size)), call.op, ": padding ", pad,
                " mirrors more elements than there are in dimension ", d, " of sizes ", in.sizes);
    sizes[d] = size + before + after;
    VITRO_CHECK(less(0, sizes[d]), call.op, ": padding ", pad, " leaves no elements in dimension ",
                d, " of sizes ", in.sizes);
  }
  call.results.push_back(dense(in.dtype, in.device, sizes));
}

IndexList ReflectionPad::map(const TensorMeta& operand, const TensorMeta&, AttrsView attrs,
                             std::span<const Expr> index, int64_t) {
  const Sizes& pad = attrs.as<Attrs>().padding;
  IndexList out = before_padding(operand, pad, index);
  for (size_t d = 0; d < out.size(); ++d) {
    const auto [before, after] = sides_of(pad, operand.rank(), d);
    if (!before.expr().is(0)) out[d] = sym::max(out[d], -out[d]);
    if (!after.expr().is(0)) out[d] = sym::min(out[d], (operand.sizes[d].expr() - 1) * 2 - out[d]);
  }
  return out;
}

IndexList ReplicationPad::map(const TensorMeta& operand, const TensorMeta&, AttrsView attrs,
                              std::span<const Expr> index, int64_t) {
  const Sizes& pad = attrs.as<Attrs>().padding;
  IndexList out = before_padding(operand, pad, index);
  for (size_t d = 0; d < out.size(); ++d) {
    const auto [before, after] = sides_of(pad, operand.rank(), d);
    if (!before.expr().is(0)) out[d] = sym::max(out[d], 0);
    if (!after.expr().is(0)) out[d] = sym::min(out[d], operand.sizes[d].expr() - 1);
  }
  return out;
}

// ---- pools ----

namespace {

void check_two(std::string_view op, const Dims& two, std::string_view what, int64_t least) {
  VITRO_CHECK(two.size() == 1 || two.size() == 2, op, ": ", what, " needs one number or two, got ",
              two);
  for (const int64_t n : two)
    VITRO_CHECK(n >= least && n <= sym::largest_size, op, ": ", what, " must be at least ", least,
                ", got ", two);
}

// The number of places of the kernel along height or width (d: 0 or 1) of `size` elements. A place
// that begins after the elements and the padding before them does not count.
Size places_of(const Kernel& k, size_t d, Size size) {
  const Size reach = (k.size[d] - 1) * k.dilation[d] + 1, wide = size + 2 * k.padding[d];
  if (!k.ceil) return (wide - reach) / k.stride[d] + 1;
  return min((wide - reach + (k.stride[d] - 1)) / k.stride[d] + 1,
             (size + (k.padding[d] - 1)) / k.stride[d] + 1);
}

}  // namespace

Kernel checked_kernel(std::string_view op, const MaxPoolAttrs& a) {
  check_two(op, a.kernel_size, "kernel_size", 1);
  if (!a.stride.empty()) check_two(op, a.stride, "stride", 1);
  check_two(op, a.padding, "padding", 0);
  check_two(op, a.dilation, "dilation", 1);
  return kernel_of(a);
}
Kernel checked_kernel(std::string_view op, const AvgPoolAttrs& a) {
  check_two(op, a.kernel_size, "kernel_size", 1);
  if (!a.stride.empty()) check_two(op, a.stride, "stride", 1);
  check_two(op, a.padding, "padding", 0);
  return kernel_of(a);
}

Sizes pooled_sizes(std::string_view op, const TensorMeta& x, const Kernel& k) {
  VITRO_CHECK(x.rank() == 3 || x.rank() == 4, op, ": needs x of rank 4 (a batch) or 3, got sizes ",
              x.sizes);
  Sizes sizes = x.sizes;
  for (size_t d = 0; d < 2; ++d) {
    Size& size = sizes[sizes.size() - 2 + d];
    VITRO_CHECK(k.padding[d] <= k.size[d] / 2, op, ": padding ", k.padding[d],
                " is more than half of the kernel_size ", k.size[d]);
    const Size reach = (k.size[d] - 1) * k.dilation[d] + 1;
    const Size least = k.ceil ? reach - (k.stride[d] - 1) : reach;
    VITRO_CHECK(less(0, size) && !less(size + 2 * k.padding[d], least), op,
                ": the kernel extends over ", reach, " elements of dimension ",
                static_cast<int>(d) - 2, ", x has ", number_of(size), " there, and ", k.padding[d],
                " of padding on each side");
    size = places_of(k, d, size);
  }
  return sizes;
}

namespace {

IndexList under_kernel(const Kernel& k, std::span<const Expr> index, int64_t tap) {
  IndexList out(index);
  const std::array<int64_t, 2> in_kernel{tap / k.size[1], tap % k.size[1]};
  for (size_t d = 0; d < 2; ++d) {
    Expr& e = out[out.size() - 2 + d];
    e = e * k.stride[d] + (in_kernel[d] * k.dilation[d] - k.padding[d]);
  }
  return out;
}

}  // namespace

int64_t MaxPool::taps(AttrsView attrs) {
  return kernel_of(attrs.as<Attrs>()).count();
}
IndexList MaxPool::map(const TensorMeta&, const TensorMeta&, AttrsView attrs,
                       std::span<const Expr> index, int64_t tap) {
  return under_kernel(kernel_of(attrs.as<Attrs>()), index, tap);
}

namespace {

// The maximum number of taps of a window op: each is unrolled in code.
constexpr int64_t most_taps = 1024;

void shape_of_max_pool(ShapeCall& call) {
  const TensorMeta& in = operand_of(call);
  const Kernel k = checked_kernel(call.op, call.attrs.as<MaxPoolAttrs>());
  VITRO_CHECK(!is_bool(in.dtype), call.op, ": takes numbers, got ", in.dtype, "; cast them first");
  VITRO_CHECK(k.count() <= most_taps, call.op, ": a kernel of ", k.count(), " elements is larger ",
              "than ", most_taps, "; take amax of the dimensions that it covers");
  call.results.push_back(dense(in.dtype, in.device, pooled_sizes(call.op, in, k)));
}

}  // namespace

void MaxPool2d::shape(ShapeCall& call) {
  shape_of_max_pool(call);
}
void MaxPool2dWithIndices::shape(ShapeCall& call) {
  shape_of_max_pool(call);
  TensorMeta indices = call.results[0];
  indices.dtype = DType::i64;
  call.results.push_back(std::move(indices));
}

Expr MaxPool2dWithIndices::first_place(const TensorMeta& operand, const TensorMeta&,
                                       AttrsView attrs, std::span<const Expr> index) {
  const Kernel k = kernel_of(attrs.as<Attrs>());
  Expr place = 0;
  for (size_t d = 0; d < 2; ++d) {
    const Expr first = index[index.size() - 2 + d] * k.stride[d] - k.padding[d];
    const bool before = k.padding[d] > 0;  // the first taps may be outside
    place = place * operand.sizes[operand.sizes.size() - 2 + d].expr() +
            (before ? sym::max(first, sym::mod(first, k.dilation[d])) : first);
  }
  return place;
}

void AvgPool2d::shape(ShapeCall& call) {
  const TensorMeta& in = operand_of(call);
  const auto& a = call.attrs.as<Attrs>();
  const Kernel k = checked_kernel(call.op, a);
  VITRO_CHECK(is_floating(in.dtype), call.op, ": takes floating-point numbers, got ", in.dtype,
              "; cast them first");
  VITRO_CHECK(a.divisor_override != 0, call.op, ": divisor_override must not be 0");
  VITRO_CHECK(k.count() <= most_taps, call.op, ": a kernel of ", k.count(), " elements is larger ",
              "than ", most_taps, "; take the mean of the dimensions that it covers");
  call.results.push_back(dense(in.dtype, in.device, pooled_sizes(call.op, in, k)));
}

int64_t AvgPool2d::taps(AttrsView attrs) {
  return kernel_of(attrs.as<Attrs>()).count();
}
IndexList AvgPool2d::map(const TensorMeta&, const TensorMeta&, AttrsView attrs,
                         std::span<const Expr> index, int64_t tap) {
  return under_kernel(kernel_of(attrs.as<Attrs>()), index, tap);
}

Expr AvgPool2d::count(const TensorMeta& operand, const TensorMeta&, AttrsView attrs,
                      std::span<const Expr> index) {
  const auto& a = attrs.as<Attrs>();
  const Kernel k = kernel_of(a);
  if (a.divisor_override) return *a.divisor_override;
  if (a.count_include_pad && !k.ceil) return k.count();
  Expr count = 1;
  for (size_t d = 0; d < 2; ++d) {
    const Expr size = operand.sizes[operand.sizes.size() - 2 + d].expr();
    const Expr first = index[index.size() - 2 + d] * k.stride[d] - k.padding[d];
    const Expr inside = a.count_include_pad ? Expr(k.padding[d]) : Expr(0);
    const Expr begin = a.count_include_pad ? first : sym::max(first, 0);
    count = count * (sym::min(first + k.size[d], size + inside) - begin);
  }
  return count;
}

// ---- a view, and composites ----

void Unfold::shape(ShapeCall& call) {
  const TensorMeta& in = operand_of(call);
  const auto& a = call.attrs.as<Attrs>();
  VITRO_CHECK(in.rank() > 0, "unfold: needs a tensor with dimensions");
  const auto dim = static_cast<size_t>(wrap_dim(name, a.dimension, in.rank()));
  VITRO_CHECK(a.size >= 0 && a.step > 0,
              "unfold: size must not be negative and step positive, got ", a.size, " and ", a.step);
  VITRO_CHECK(!less(in.sizes[dim], a.size), "unfold: windows of ", a.size,
              " elements are longer than dimension ", dim, " of sizes ", in.sizes);
  TensorMeta result = in;
  result.sizes[dim] = (in.sizes[dim] - a.size) / a.step + 1;
  result.strides[dim] = in.strides[dim] * std::min(a.step, sym::largest_size);
  result.sizes.push_back(a.size);
  result.strides.push_back(in.strides[dim]);
  call.results.push_back(std::move(result));
}

IndexList Unfold::map(const TensorMeta& operand, const TensorMeta&, AttrsView attrs,
                      std::span<const Expr> index) {
  const auto& a = attrs.as<Attrs>();
  const auto dim = static_cast<size_t>(wrap_dim(name, a.dimension, operand.rank()));
  IndexList out(index.first(index.size() - 1));
  out[dim] = out[dim] * std::min(a.step, sym::largest_size) + index.back();
  return out;
}

Tensor patches(const Tensor& x, const Sizes& kernel, const Dims& stride, const Dims& dilation) {
  const Tensor dense = contiguous(x);
  const auto planes = static_cast<size_t>(x.rank()) - 2;
  Sizes sizes = x.sizes(), strides = contiguous_strides(x.sizes());
  sizes.resize(planes);
  strides.resize(planes);
  const Size row = x.size(-1);
  const std::array<Size, 2> step{row, 1};
  for (size_t d = 0; d < 2; ++d) {
    sizes.push_back(kernel[d]);
    strides.push_back(step[d] * (d == 0 ? of_height(dilation) : of_width(dilation)));
  }
  for (size_t d = 0; d < 2; ++d) {
    const int64_t by = d == 0 ? of_height(stride) : of_width(stride);
    const int64_t apart = d == 0 ? of_height(dilation) : of_width(dilation);
    sizes.push_back((x.size(static_cast<int64_t>(planes + d)) - (kernel[d] - 1) * apart - 1) / by +
                    1);
    strides.push_back(step[d] * by);
  }
  return as_strided(view(dense, {x.numel()}), sizes, strides);
}

namespace {

Kernel checked_kernel(std::string_view op, const Im2colAttrs& a) {
  check_two(op, a.kernel_size, "kernel_size", 1);
  check_two(op, a.dilation, "dilation", 1);
  check_two(op, a.padding, "padding", 0);
  check_two(op, a.stride, "stride", 1);
  return {both(a.kernel_size), both(a.stride), both(a.padding), both(a.dilation)};
}

}  // namespace

Tensor padded_planes(const Tensor& x, const Kernel& k, const Scalar& value) {
  if (k.padding[0] == 0 && k.padding[1] == 0) return x;
  return constant_pad_nd(x, {k.padding[1], k.padding[1], k.padding[0], k.padding[0]}, value);
}

Tensor patches_under(const Kernel& k, const Tensor& x) {
  return patches(x, Sizes{k.size[0], k.size[1]}, Dims{k.stride[0], k.stride[1]},
                 Dims{k.dilation[0], k.dilation[1]});
}

void Im2col::shape(ShapeCall& call) {
  const TensorMeta& in = operand_of(call);
  const Kernel k = checked_kernel(call.op, call.attrs.as<Attrs>());
  VITRO_CHECK(in.rank() == 3 || in.rank() == 4, call.op,
              ": needs x of rank 4 (a batch) or 3, got sizes ", in.sizes);
  const size_t planes = in.sizes.size() - 2;
  Size places = 1;
  for (size_t d = 0; d < 2; ++d) {
    const Size size = in.sizes[planes + d], reach = (k.size[d] - 1) * k.dilation[d] + 1;
    VITRO_CHECK(less(0, size) && !less(size + 2 * k.padding[d], reach), call.op,
                ": the kernel extends over ", reach, " elements of dimension ", planes + d,
                ", x has ", size + 2 * k.padding[d], " there with its padding");
    places = places * places_of(k, d, size);
  }
  Sizes sizes = in.sizes;
  sizes.resize(planes);
  sizes[planes - 1] = sizes[planes - 1] * k.count();
  sizes.push_back(places);
  call.results.push_back(dense(in.dtype, in.device, sizes));
}

void Im2col::expand(std::span<const Operand> operands, AttrsView attrs, std::span<Tensor> results) {
  const Kernel k = checked_kernel(name, attrs.as<Attrs>());
  const Tensor& x = operands[0].tensor();
  const Tensor parts = patches_under(k, padded_planes(x, k, 0));
  Sizes sizes = x.sizes();
  const size_t planes = sizes.size() - 2;
  sizes.resize(planes);
  sizes[planes - 1] = sizes[planes - 1] * k.count();
  sizes.push_back(parts.size(-2) * parts.size(-1));
  results[0] = contiguous(reshape(parts, sizes));
}

}  // namespace ops

Tensor unfold(ops::At x, int64_t dimension, int64_t size, int64_t step) {
  return ops::call<ops::Unfold>(x.where, {x.operand}, {dimension, size, step});
}

Tensor flip(ops::At x, DimsArg dims) {
  return ops::call<ops::Flip>(x.where, {x.operand}, {std::move(dims)});
}

Tensor constant_pad_nd(ops::At x, SizesArg pad, const Scalar& value) {
  return ops::call<ops::ConstantPadNd>(x.where, {x.operand}, {std::move(pad), value});
}
Tensor reflection_pad1d(ops::At x, SizesArg padding) {
  return ops::call<ops::ReflectionPad1d>(x.where, {x.operand}, {std::move(padding)});
}
Tensor reflection_pad2d(ops::At x, SizesArg padding) {
  return ops::call<ops::ReflectionPad2d>(x.where, {x.operand}, {std::move(padding)});
}
Tensor reflection_pad3d(ops::At x, SizesArg padding) {
  return ops::call<ops::ReflectionPad3d>(x.where, {x.operand}, {std::move(padding)});
}
Tensor replication_pad1d(ops::At x, SizesArg padding) {
  return ops::call<ops::ReplicationPad1d>(x.where, {x.operand}, {std::move(padding)});
}
Tensor replication_pad2d(ops::At x, SizesArg padding) {
  return ops::call<ops::ReplicationPad2d>(x.where, {x.operand}, {std::move(padding)});
}
Tensor replication_pad3d(ops::At x, SizesArg padding) {
  return ops::call<ops::ReplicationPad3d>(x.where, {x.operand}, {std::move(padding)});
}

Tensor pad(ops::At x, SizesArg pad, std::string_view mode, std::optional<double> value) {
  const CalledAs name("pad", x.where);
  if (mode == "constant") return constant_pad_nd(x, std::move(pad), value.value_or(0));
  VITRO_CHECK(!value, "pad: mode ", mode, " takes no value");
  VITRO_CHECK(mode == "reflect" || mode == "replicate",
              "pad: mode must be constant, reflect or replicate, got ", mode);
  VITRO_CHECK(pad.size() == 2 || pad.size() == 4 || pad.size() == 6, "pad: mode ", mode,
              " needs 2, 4 or 6 numbers, got ", pad);
  const bool reflects = mode == "reflect";
  if (pad.size() == 2) return reflects ? reflection_pad1d(x, pad) : replication_pad1d(x, pad);
  if (pad.size() == 4) return reflects ? reflection_pad2d(x, pad) : replication_pad2d(x, pad);
  return reflects ? reflection_pad3d(x, pad) : replication_pad3d(x, pad);
}

Tensor im2col(ops::At x, DimsArg kernel_size, DimsArg dilation, DimsArg padding, DimsArg stride) {
  return ops::call<ops::Im2col>(
      x.where, {x.operand},
      {std::move(kernel_size), std::move(dilation), std::move(padding), std::move(stride)});
}

}  // namespace vitro
