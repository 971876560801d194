// conv2d: the shape rule, and the program: a view of patches and a product.
#include "vitro/ops/convolution.h"

#include "vitro/base/error.h"
#include "vitro/ops/binary.h"
#include "vitro/ops/create.h"
#include "vitro/ops/product.h"
#include "vitro/ops/view.h"
#include "vitro/ops/window.h"

namespace vitro {
namespace ops {
namespace {

const TensorMeta& tensor_of(const ShapeCall& call, size_t i) {
  VITRO_CHECK(call.operands[i].meta, call.op, ": operand ", i, " must be a tensor");
  return *call.operands[i].meta;
}

void check_attrs(const Conv2dAttrs& a) {
  const auto two = [](const Dims& d, std::string_view what) {
    VITRO_CHECK(d.size() == 2, "conv2d: ", what, " needs two numbers, got ", d);
  };
  two(a.stride, "stride");
  two(a.padding, "padding");
  two(a.dilation, "dilation");
  for (size_t i = 0; i < 2; ++i) {
    VITRO_CHECK(a.stride[i] > 0, "conv2d: stride must be positive, got ", a.stride);
    VITRO_CHECK(a.padding[i] >= 0, "conv2d: padding must not be negative, got ", a.padding);
    VITRO_CHECK(a.dilation[i] > 0, "conv2d: dilation must be positive, got ", a.dilation);
  }
  VITRO_CHECK(a.groups > 0, "conv2d: groups must be positive, got ", a.groups);
}

void check_dtypes(const TensorMeta& x, const TensorMeta& weight) {
  VITRO_CHECK(x.dtype == weight.dtype, "conv2d: dtypes differ: x is ", x.dtype, ", weight is ",
              weight.dtype, "; cast one of them");
  VITRO_CHECK(is_floating(x.dtype), "conv2d: takes floating-point numbers, got ", x.dtype);
}

void check_channels(const TensorMeta& x, const TensorMeta& weight, int64_t groups) {
  const Size channels = x.sizes[static_cast<size_t>(x.rank()) - 3], out = weight.sizes[0];
  VITRO_CHECK(!less(out, groups) && equal(out % groups, 0), "conv2d: with groups = ", groups,
              ", dimension 0 of weight must be a multiple of it, got sizes ", weight.sizes);
  VITRO_CHECK(equal(channels, weight.sizes[1] * groups), "conv2d: with groups = ", groups,
              " and weight of sizes ", weight.sizes, ", x needs ", weight.sizes[1] * groups,
              " channels, got ", channels, " (sizes ", x.sizes, ")");
}

void check_bias(const ShapeCall& call, const TensorMeta& x, const TensorMeta& weight) {
  if (call.operands.size() < 3 || !call.operands[2].meta) return;
  const TensorMeta& bias = *call.operands[2].meta;
  VITRO_CHECK(bias.rank() == 1 && equal(bias.sizes[0], weight.sizes[0]) && bias.dtype == x.dtype,
              "conv2d: bias must be ", x.dtype, " of sizes [", weight.sizes[0], "], got ",
              bias.dtype, " of sizes ", bias.sizes);
}

// The height or width (d: 0 or 1) of the result for a padded `size`.
Size size_out(const Conv2dAttrs& a, size_t d, Size size, Size kernel) {
  return (size - (kernel - 1) * a.dilation[d] - 1) / a.stride[d] + 1;
}

}  // namespace

void Conv2d::shape(ShapeCall& call) {
  const TensorMeta &x = tensor_of(call, 0), &weight = tensor_of(call, 1);
  const auto& a = call.attrs.as<Attrs>();
  VITRO_CHECK(x.rank() == 3 || x.rank() == 4,
              "conv2d: needs x of rank 4 (a batch) or 3, got sizes ", x.sizes);
  VITRO_CHECK(weight.rank() == 4, "conv2d: needs weight of rank 4, got sizes ", weight.sizes);
  check_attrs(a);
  check_dtypes(x, weight);
  check_channels(x, weight, a.groups);
  check_bias(call, x, weight);
  Sizes sizes = x.sizes;
  const size_t first = sizes.size() - 3;
  sizes[first] = weight.sizes[0];
  for (size_t d = 0; d < 2; ++d) {
    const Size kernel = weight.sizes[d + 2], wide = x.sizes[first + 1 + d] + Size(2) * a.padding[d];
    VITRO_CHECK(less(0, kernel) && !less(wide, (kernel - 1) * a.dilation[d] + 1),
                "conv2d: the kernel extends over ", (kernel - 1) * a.dilation[d] + 1,
                " elements of dimension ", first + 1 + d, ", x has ", wide,
                " there with its padding");
    sizes[first + 1 + d] = size_out(a, d, wide, kernel);
  }
  call.results.push_back(dense(x.dtype, x.device, sizes));
}

void Conv2d::expand(std::span<const Operand> operands, AttrsView attrs, std::span<Tensor> results) {
  const auto& a = attrs.as<Attrs>();
  const bool has_bias = operands.size() > 2 && operands[2].is_tensor();
  const DType dtype = operands[0].tensor().dtype(), wide = compute_type(dtype);
  Tensor x = to(operands[0].tensor(), wide);
  const Tensor weight = to(operands[1].tensor(), wide);
  const bool single = x.rank() == 3;
  if (single) x = unsqueeze(x, 0);
  const auto [down, across] = std::pair(a.padding[0], a.padding[1]);
  if (down != 0 || across != 0) x = constant_pad_nd(x, {across, across, down, down});

  const Tensor parts = patches(x, {weight.size(2), weight.size(3)}, a.stride, a.dilation);
  const Size n = parts.size(0), oh = parts.size(4), ow = parts.size(5), out = weight.size(0);
  const Size terms = weight.size(1) * weight.size(2) * weight.size(3), of_group = out / a.groups;
  const Tensor per_group = reshape(weight, {1, a.groups, of_group, terms});
  const Tensor of_each = vitro::expand(per_group, {n, a.groups, of_group, terms});
  Tensor y = bmm(reshape(of_each, {n * a.groups, of_group, terms}),
                 reshape(parts, {n * a.groups, terms, oh * ow}));
  y = view(y, {n, out, oh, ow});
  if (has_bias) y = add(y, view(to(operands[2].tensor(), wide), {out, 1, 1}));
  if (single) y = view(y, {out, oh, ow});
  results[0] = contiguous(to(y, dtype));
}

}  // namespace ops

Tensor conv2d(ops::At x, const Tensor& weight, const Tensor& bias, ops::Conv2dAttrs attrs) {
  for (DimsArg* of_both : {&attrs.stride, &attrs.padding, &attrs.dilation}) {
    if (of_both->size() == 1) of_both->push_back(of_both->back());
  }
  return ops::call<ops::Conv2d>(x.where, {x.operand, weight, bias}, attrs);
}

}  // namespace vitro
