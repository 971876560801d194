// Shape rules and index maps of flip and padding, the view `unfold`, and im2col and its inverse,
// whose patches pools and convolutions use too.
#include "vitro/ops/window.h"

#include <algorithm>
#include <array>

#include "core/numbers.h"
#include "ops/kernel_places.h"
#include "ops/memory_format.h"
#include "ops/wide.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/ops/choose.h"
#include "vitro/ops/create.h"
#include "vitro/ops/gather.h"
#include "vitro/ops/operators.h"
#include "vitro/ops/reduce.h"
#include "vitro/ops/scatter.h"
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
  check_holds(call.op, in.dtype, call.attrs.as<Attrs>().value);
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
  call.results.push_back(dense_in(has_channels_last(in), in.dtype, in.device, sizes));
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
  call.results.push_back(dense_in(has_channels_last(in), in.dtype, in.device, sizes));
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
  const size_t planes = x.sizes().size() - kernel.size();
  const Sizes step = contiguous_strides(x.sizes());
  Sizes sizes = x.sizes(), strides = step;
  sizes.resize(planes);
  strides.resize(planes);
  for (size_t d = 0; d < kernel.size(); ++d) {
    sizes.push_back(kernel[d]);
    strides.push_back(step[planes + d] * of_dim(dilation, d));
  }
  for (size_t d = 0; d < kernel.size(); ++d) {
    const Size reach = (kernel[d] - 1) * of_dim(dilation, d) + 1;
    sizes.push_back((x.sizes()[planes + d] - reach) / of_dim(stride, d) + 1);
    strides.push_back(step[planes + d] * of_dim(stride, d));
  }
  return as_strided(view(dense, {x.numel()}), sizes, strides);
}

Tensor sum_of_patches(const Tensor& parts, const Sizes& plane, const Dims& stride,
                      const Dims& dilation) {
  const auto dims = static_cast<int64_t>(plane.size()), planes = parts.rank() - 2 * dims;
  Sizes one{1}, kernel;
  for (const Size size : plane) one.push_back(size);
  for (int64_t d = 0; d < dims; ++d) kernel.push_back(parts.size(planes + d));
  const Size count = product(plane);
  const Tensor numbers = reshape(arange(count, {}, parts.device()), one);
  const Tensor places = patches(numbers, kernel, stride, dilation);
  const Tensor none = zeros(followed_by(parts, planes, {count}), parts.dtype(), parts.device());
  const Tensor sums = index_add(none, planes, reshape(places, {-1}),
                                reshape(parts, followed_by(parts, planes, {places.numel()})));
  return reshape(sums, followed_by(parts, planes, plane));
}

Sizes followed_by(const Tensor& x, int64_t first, const Sizes& rest) {
  Sizes sizes = x.sizes();
  sizes.resize(static_cast<size_t>(first));
  for (const Size size : rest) sizes.push_back(size);
  return sizes;
}

void check_numbers(std::string_view op, std::string_view what, const Dims& numbers, int dims,
                   int64_t least) {
  VITRO_CHECK(numbers.size() == 1 || numbers.size() == static_cast<size_t>(dims), op, ": ", what,
              " needs one number or ", dims, ", got ", numbers);
  for (const int64_t n : numbers) {
    VITRO_CHECK(n >= least, op, ": ", what, " must be at least ", least, ", got ", numbers);
    VITRO_CHECK(n <= sym::largest_size, op, ": ", what, " must be at most ", sym::largest_size,
                ", got ", numbers);
  }
}

int64_t Kernel::count() const {
  int64_t count = 1;
  for (const int64_t n : size) {
    if (__builtin_mul_overflow(count, n, &count)) return INT64_MAX;
  }
  return count;
}

bool Kernel::pads() const {
  return std::any_of(padding.begin(), padding.end(), [](int64_t n) { return n != 0; });
}

// A place that begins after the elements and the padding before them does not count.
Size places_of(const Kernel& k, size_t d, Size size) {
  const Size reach = k.reach(d), wide = size + 2 * k.padding[d];
  if (!k.ceil) return (wide - reach) / k.stride[d] + 1;
  return min((wide - reach + (k.stride[d] - 1)) / k.stride[d] + 1,
             (size + (k.padding[d] - 1)) / k.stride[d] + 1);
}

namespace {

Kernel checked_kernel(std::string_view op, const Im2colAttrs& a) {
  check_numbers(op, "kernel_size", a.kernel_size, 2, 1);
  check_numbers(op, "dilation", a.dilation, 2, 1);
  check_numbers(op, "padding", a.padding, 2, 0);
  check_numbers(op, "stride", a.stride, 2, 1);
  return {of_each(a.kernel_size, 2), of_each(a.stride, 2), of_each(a.padding, 2),
          of_each(a.dilation, 2)};
}

// The places of the kernel along both dimensions of a plane.
Sizes places_in(std::string_view op, const Kernel& k, const Sizes& plane) {
  Sizes places;
  for (size_t d = 0; d < 2; ++d) {
    VITRO_CHECK(less(0, plane[d]) && !less(plane[d] + 2 * k.padding[d], k.reach(d)), op,
                ": the kernel extends over ", k.reach(d), " elements of dimension ",
                static_cast<int>(d) - 2, ", which has ", number_of(plane[d] + 2 * k.padding[d]),
                " with its padding");
    places.push_back(places_of(k, d, plane[d]));
  }
  return places;
}

// The padding on both sides, in the order of ConstantPadAttrs::pad; negative: to remove it.
Sizes padding_of(const Kernel& k, int64_t sign) {
  Sizes pad;
  for (size_t d = k.padding.size(); d-- > 0;) {
    for (int side = 0; side < 2; ++side) pad.push_back(sign * k.padding[d]);
  }
  return pad;
}

}  // namespace

Tensor padded_planes(const Tensor& x, const Kernel& k, const Scalar& value) {
  return k.pads() ? constant_pad_nd(x, padding_of(k, 1), value) : x;
}

Tensor patches_under(const Kernel& k, const Tensor& x) {
  Sizes kernel;
  for (const int64_t size : k.size) kernel.push_back(size);
  return patches(x, kernel, k.stride, k.dilation);
}

void Im2col::shape(ShapeCall& call) {
  const TensorMeta& in = operand_of(call);
  const Kernel k = checked_kernel(call.op, call.attrs.as<Attrs>());
  VITRO_CHECK(in.rank() == 3 || in.rank() == 4, call.op,
              ": needs x of rank 4 (a batch) or 3, got sizes ", in.sizes);
  const size_t planes = in.sizes.size() - 2;
  const Sizes places = places_in(call.op, k, {in.sizes[planes], in.sizes[planes + 1]});
  Sizes sizes = in.sizes;
  sizes.resize(planes);
  sizes[planes - 1] = sizes[planes - 1] * k.count();
  sizes.push_back(product(places));
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
  const CalledAs name("unfold", x.where);
  const bool number = x.operand.tensor().rank() == 0;  // has one window of at most its element
  const Tensor t = number ? unsqueeze(x, 0) : x.operand.tensor();
  const Tensor windows = ops::call<ops::Unfold>(x.where, {t}, {dimension, size, step});
  return number ? select({windows, x.where}, 0, 0) : windows;
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

Tensor pad_circular(ops::At x, SizesArg pad) {
  const CalledAs name("_pad_circular", x.where);
  Tensor out = x.operand.tensor();
  const auto rank = static_cast<size_t>(out.rank());
  VITRO_CHECK(pad.size() % 2 == 0 && (pad.size() + 2 == 2 * rank || pad.size() + 4 == 2 * rank),
              "_pad_circular: needs two numbers for each dimension of x but the first or the first "
              "two, got ",
              numbers_of(pad), " for x of sizes ", numbers_of(out.sizes()));
  for (size_t d = rank - pad.size() / 2; d < rank; ++d) {
    const auto [before, after] = ops::sides_of(pad, static_cast<int>(rank), d);
    // Negative padding removes elements first.
    const Size kept = out.sizes()[d] + min(before, 0) + min(after, 0);
    VITRO_CHECK(!less(kept, 0) && !less(kept, before) && !less(kept, after), "_pad_circular: pad ",
                numbers_of(pad), " removes or repeats more elements than there are in dimension ",
                d, " of sizes ", numbers_of(out.sizes()));
    const Tensor places = arange(0 - max(before, 0), kept + max(after, 0), 1, {}, out.device());
    const Tensor wrapped = remainder(places, max(kept, 1)) - min(before, 0);
    out = index_select(out, static_cast<int64_t>(d), wrapped);
  }
  return out;
}

Tensor pad(ops::At x, SizesArg pad, std::string_view mode, std::optional<double> value) {
  const CalledAs name("pad", x.where);
  if (mode == "constant") return constant_pad_nd(x, std::move(pad), value.value_or(0));
  VITRO_CHECK(value.value_or(0) == 0, "pad: mode ", mode, " takes no value, got ", *value);
  if (mode == "circular") return pad_circular(x, std::move(pad));
  VITRO_CHECK(mode == "reflect" || mode == "replicate",
              "pad: mode must be constant, reflect, replicate or circular, got ", mode);
  VITRO_CHECK(pad.size() == 2 || pad.size() == 4 || pad.size() == 6, "pad: mode ", mode,
              " needs 2, 4 or 6 numbers, got ", numbers_of(pad));
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

Tensor col2im(ops::At x, SizesArg output_size, DimsArg kernel_size, DimsArg dilation,
              DimsArg padding, DimsArg stride) {
  const CalledAs name("col2im", x.where);
  const Tensor& columns = x.operand.tensor();
  const ops::Kernel k = ops::checked_kernel("col2im", {std::move(kernel_size), std::move(dilation),
                                                       std::move(padding), std::move(stride)});
  if (output_size.size() == 1) output_size.push_back(output_size[0]);
  VITRO_CHECK(output_size.size() == 2, "col2im: needs two sizes, got ", numbers_of(output_size));
  VITRO_CHECK(columns.rank() == 2 || columns.rank() == 3,
              "col2im: needs x of rank 3 (a batch) or 2, got sizes ", numbers_of(columns.sizes()));
  const Sizes places = ops::places_in("col2im", k, output_size);
  const Size rows = columns.size(-2), width = columns.size(-1);
  VITRO_CHECK(equal(rows % k.count(), 0) && equal(width, product(places)),
              "col2im: needs a multiple of ", k.count(), " rows and ", number_of(product(places)),
              " columns for a result of sizes ", numbers_of(output_size), ", got sizes ",
              numbers_of(columns.sizes()));
  const int64_t first = columns.rank() - 2;
  Sizes sizes{rows / k.count()}, plane;
  for (size_t d = 0; d < 2; ++d) {
    sizes.push_back(k.size[d]);
    plane.push_back(output_size[d] + 2 * k.padding[d]);
  }
  for (const Size size : places) sizes.push_back(size);
  const Tensor parts = reshape({columns, x.where}, ops::followed_by(columns, first, sizes));
  const Tensor sums = ops::sum_of_patches(parts, plane, k.stride, k.dilation);
  return k.pads() ? constant_pad_nd(sums, ops::padding_of(k, -1)) : sums;
}

}  // namespace vitro
