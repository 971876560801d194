// Convolutions: their shape rules, and their programs: a contraction over windows (convolve), and a
// bias.
#include "vitro/ops/convolution.h"

#include <algorithm>

#include "vitro/base/error.h"
#include "vitro/core/formula.h"
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

void check_dtypes(std::string_view op, const TensorMeta& x, const TensorMeta& weight) {
  VITRO_CHECK(x.dtype == weight.dtype, op, ": dtypes differ: x is ", x.dtype, ", weight is ",
              weight.dtype, "; cast one of them");
  VITRO_CHECK(is_floating(x.dtype), op, ": takes floating-point numbers, got ", x.dtype);
}

// `rank`: the number of spatial dimensions.
void check_channels(std::string_view op, const TensorMeta& x, const TensorMeta& weight, size_t rank,
                    int64_t groups) {
  VITRO_CHECK(groups > 0, op, ": groups must be positive, got ", groups);
  const Size channels = x.sizes[x.sizes.size() - rank - 1], out = weight.sizes[0];
  VITRO_CHECK(!less(out, groups) && equal(out % groups, 0), op, ": with groups = ", groups,
              ", dimension 0 of weight must be a multiple of it, got sizes ", weight.sizes);
  VITRO_CHECK(equal(channels, weight.sizes[1] * groups), op, ": with groups = ", groups,
              " and weight of sizes ", weight.sizes, ", x needs ", weight.sizes[1] * groups,
              " channels, got ", channels, " (sizes ", x.sizes, ")");
}

void check_bias(const ShapeCall& call, DType dtype, Size channels) {
  if (call.operands.size() < 3 || !call.operands[2].meta) return;
  const TensorMeta& bias = *call.operands[2].meta;
  VITRO_CHECK(bias.rank() == 1 && equal(bias.sizes[0], channels) && bias.dtype == dtype, call.op,
              ": bias must be ", dtype, " of sizes [", channels, "], got ", bias.dtype,
              " of sizes ", bias.sizes);
}

// One number for each spatial dimension, none of them less than `least`.
void check_numbers(std::string_view op, std::string_view what, const Dims& numbers, size_t rank,
                   int64_t least) {
  constexpr std::string_view counts[] = {"", "one number", "two numbers", "three numbers"};
  VITRO_CHECK(numbers.size() == rank, op, ": ", what, " needs ", counts[rank], ", got ", numbers);
  for (const int64_t n : numbers) {
    VITRO_CHECK(n >= least, op, ": ", what,
                least > 0 ? " must be positive" : " must not be negative", ", got ", numbers);
  }
}

// The sizes of x under windows: those of a convolution's result.
Sizes sizes_under(std::string_view op, const TensorMeta& x, const TensorMeta& weight,
                  const ConvolveAttrs& a) {
  const size_t rank = a.stride.size(), first = x.sizes.size() - rank;
  Sizes sizes = x.sizes;
  sizes[first - 1] = weight.sizes[0];
  for (size_t d = 0; d < rank; ++d) {
    const Size window = (weight.sizes[d + 2] - 1) * a.dilation[d] + 1,
               wide = x.sizes[first + d] + a.padding[d] + a.padding_after[d];
    VITRO_CHECK(less(0, weight.sizes[d + 2]) && !less(wide, window), op,
                ": the kernel extends over ", window, " elements of dimension ", first + d,
                ", x has ", wide, " there with its padding");
    sizes[first + d] = (wide - window) / a.stride[d] + 1;
  }
  return sizes;
}

ConvolveAttrs contraction_of(const Conv2dAttrs& a) {
  Sizes padding;
  for (const int64_t p : a.padding) padding.push_back(p);
  return {a.stride, padding, padding, a.dilation, a.groups};
}

}  // namespace

void Convolve::shape(ShapeCall& call) {
  const TensorMeta &x = tensor_of(call, 0), &weight = tensor_of(call, 1);
  const auto& a = call.attrs.as<Attrs>();
  const auto rank = static_cast<size_t>(weight.rank()) - 2;
  VITRO_CHECK(weight.rank() >= 3 && weight.rank() <= 5 && x.rank() == weight.rank(), call.op,
              ": needs x and weight of the same rank, 3 to 5, got sizes ", x.sizes, " and ",
              weight.sizes);
  check_numbers(call.op, "stride", a.stride, rank, 1);
  VITRO_CHECK(a.padding.size() == rank && a.padding_after.size() == rank, call.op,
              ": padding and padding_after need a number for each spatial dimension, got ",
              a.padding, " and ", a.padding_after);
  check_numbers(call.op, "dilation", a.dilation, rank, 1);
  check_dtypes(call.op, x, weight);
  check_channels(call.op, x, weight, rank, a.groups);
  call.results.push_back(dense(x.dtype, x.device, sizes_under(call.op, x, weight, a)));
}

WindowsSpec Convolve::windows(AttrsView attrs) {
  const auto& a = attrs.as<Attrs>();
  return {a.stride, a.dilation, a.padding, a.groups};
}

void Conv2d::shape(ShapeCall& call) {
  const TensorMeta &x = tensor_of(call, 0), &weight = tensor_of(call, 1);
  const auto& a = call.attrs.as<Attrs>();
  VITRO_CHECK(x.rank() == 3 || x.rank() == 4, call.op,
              ": needs x of rank 4 (a batch) or 3, got sizes ", x.sizes);
  VITRO_CHECK(weight.rank() == 4, call.op, ": needs weight of rank 4, got sizes ", weight.sizes);
  check_numbers(call.op, "stride", a.stride, 2, 1);
  check_numbers(call.op, "padding", a.padding, 2, 0);
  check_numbers(call.op, "dilation", a.dilation, 2, 1);
  check_channels(call.op, x, weight, 2, a.groups);
  check_dtypes(call.op, x, weight);
  check_bias(call, x.dtype, weight.sizes[0]);
  call.results.push_back(
      dense(x.dtype, x.device, sizes_under(call.op, x, weight, contraction_of(a))));
}

void Conv2d::expand(std::span<const Operand> operands, AttrsView attrs, std::span<Tensor> results) {
  const auto& a = attrs.as<Attrs>();
  const DType dtype = operands[0].tensor().dtype(), wide = compute_type(dtype);
  Tensor x = to(operands[0].tensor(), wide);
  const Tensor weight = to(operands[1].tensor(), wide);
  const bool single = x.rank() == 3;
  if (single) x = unsqueeze(x, 0);
  Tensor y = convolve(x, weight, contraction_of(a));
  if (operands.size() > 2 && operands[2].is_tensor())
    y = add(y, view(to(operands[2].tensor(), wide), {weight.size(0), 1, 1}));
  if (single) y = squeeze(y, 0);
  results[0] = to(y, dtype);
}

namespace {

// g with stride - 1 zeros between the elements of each spatial dimension, and after the last one.
Tensor spread(const Tensor& g, const Dims& stride) {
  if (std::all_of(stride.begin(), stride.end(), [](int64_t s) { return s == 1; })) return g;
  Sizes apart{g.size(0), g.size(1)}, joined = apart;
  Dims pad;  // from the last dimension on
  for (size_t d = 0; d < stride.size(); ++d) {
    const Size size = g.size(static_cast<int64_t>(d) + 2);
    apart.push_back(size);
    apart.push_back(1);
    joined.push_back(size * stride[d]);
    for (const int64_t n : {int64_t{0}, stride[stride.size() - 1 - d] - 1, int64_t{0}, int64_t{0}})
      pad.push_back(n);
  }
  return reshape(constant_pad_nd(reshape(g, apart), pad), joined);
}

// The weights as those of the transposed convolution: taps reversed, results and channels of each
// group exchanged.
Tensor reversed(const Tensor& weight, int64_t groups) {
  const Size of_group = weight.size(0) / groups;
  Sizes grouped{groups, of_group, weight.size(1)}, turned{weight.size(1) * groups, of_group};
  Dims spatial;
  for (int64_t d = 2; d < weight.rank(); ++d) {
    grouped.push_back(weight.size(d));
    turned.push_back(weight.size(d));
    spatial.push_back(d + 1);
  }
  return reshape(flip(transpose(reshape(weight, grouped), 1, 2), spatial), turned);
}

}  // namespace

// The gradient of x is a convolution of g, spread by the stride; that of the weight is one of x
// with g as its weight, where images and channels change places, and stride and dilation.
void Convolve::gradient(Formula& f) {
  const auto& a = f.attrs<Attrs>();
  const Tensor &x = f.tensor(0), &weight = f.tensor(1), &g = f.gradient();
  const size_t rank = a.stride.size();
  const Dims ones(rank, 1);
  if (f.wants(0)) {
    ConvolveAttrs of_x{ones, {}, {}, a.dilation, a.groups};
    const Tensor wide = spread(g, a.stride);
    for (size_t d = 0; d < rank; ++d) {
      const auto axis = static_cast<int64_t>(d) + 2;
      const Size reach = (weight.size(axis) - 1) * a.dilation[d];
      of_x.padding.push_back(reach - a.padding[d]);
      of_x.padding_after.push_back(x.size(axis) + a.padding[d] - wide.size(axis));
    }
    f.set(0, convolve(wide, reversed(weight, a.groups), of_x));
  }
  if (!f.wants(1)) return;
  // x as [c / groups, groups * n, ...], g as [groups * o, n, ...].
  Sizes split{x.size(0), a.groups, weight.size(1)}, joined{weight.size(1), x.size(0) * a.groups};
  Dims order{2, 1, 0};
  for (int64_t d = 2; d < x.rank(); ++d) {
    split.push_back(x.size(d));
    joined.push_back(x.size(d));
    order.push_back(d + 1);
  }
  const Tensor images = reshape(permute(reshape(x, split), order), joined);
  ConvolveAttrs of_weight{a.dilation, a.padding, a.padding_after, a.stride, a.groups};
  Tensor out = convolve(images, transpose(g, 0, 1), of_weight);
  for (size_t d = 0; d < rank; ++d) {
    const auto axis = static_cast<int64_t>(d) + 2;
    out = slice(out, axis, 0, weight.size(axis));
  }
  f.set(1, transpose(out, 0, 1));
}

}  // namespace ops

Tensor conv2d(ops::At x, const Tensor& weight, const Tensor& bias, ops::Conv2dAttrs attrs) {
  for (DimsArg* of_both : {&attrs.stride, &attrs.padding, &attrs.dilation}) {
    if (of_both->size() == 1) of_both->push_back(of_both->back());
  }
  return ops::call<ops::Conv2d>(x.where, {x.operand, weight, bias}, attrs);
}

}  // namespace vitro
