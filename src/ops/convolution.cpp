// `convolve`: its shape rule, and the same of integers.
#include "vitro/ops/convolution.h"

#include "core/numbers.h"
#include "ops/convolve.h"
#include "vitro/base/error.h"
#include "vitro/ops/product.h"
#include "vitro/ops/view.h"
#include "vitro/ops/window.h"

namespace vitro {
namespace ops {

void check_numbers(std::string_view op, std::string_view what, const Dims& numbers, size_t rank,
                   int64_t least) {
  constexpr std::string_view counts[] = {"", "one number", "two numbers", "three numbers"};
  VITRO_CHECK(numbers.size() == rank, op, ": ", what, " needs ", counts[rank], ", got ", numbers);
  for (const int64_t n : numbers) {
    VITRO_CHECK(n >= least, op, ": ", what,
                least > 0 ? " must be positive" : " must not be negative", ", got ", numbers);
    VITRO_CHECK(n <= sym::largest_size, op, ": ", what, " must be at most ", sym::largest_size,
                ", got ", numbers);
  }
}

const TensorMeta& tensor_of(const ShapeCall& call, size_t i) {
  VITRO_CHECK(call.operands[i].meta, call.op, ": operand ", i, " must be a tensor");
  return *call.operands[i].meta;
}

void check_attributes(std::string_view op, const ConvolveAttrs& a, size_t rank) {
  check_numbers(op, "stride", a.stride, rank, 1);
  VITRO_CHECK(a.padding.size() == rank && a.padding_after.size() == rank, op,
              ": padding and padding_after need a number for each spatial dimension, got ",
              a.padding, " and ", a.padding_after);
  check_numbers(op, "dilation", a.dilation, rank, 1);
}

namespace {

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
              ", dimension 0 of weight must be a multiple of it, got sizes ",
              numbers_of(weight.sizes));
  VITRO_CHECK(equal(channels, weight.sizes[1] * groups), op, ": with groups = ", groups,
              " and weight of sizes ", numbers_of(weight.sizes), ", x needs ",
              number_of(weight.sizes[1] * groups), " channels, got ", number_of(channels),
              " (sizes ", numbers_of(x.sizes), ")");
}

}  // namespace

Sizes sizes_under(std::string_view op, const TensorMeta& x, const TensorMeta& weight,
                  const ConvolveAttrs& a) {
  const size_t rank = a.stride.size(), first = x.sizes.size() - rank;
  check_channels(op, x, weight, rank, a.groups);
  Sizes sizes = x.sizes;
  sizes[first - 1] = weight.sizes[0];
  for (size_t d = 0; d < rank; ++d) {
    const Size window = (weight.sizes[d + 2] - 1) * a.dilation[d] + 1,
               wide = x.sizes[first + d] + a.padding[d] + a.padding_after[d];
    VITRO_CHECK(less(0, weight.sizes[d + 2]) && !less(wide, window), op,
                ": the kernel extends over ", number_of(window), " elements of dimension ",
                first + d, ", x has ", number_of(wide), " there with its padding");
    sizes[first + d] = (wide - window) / a.stride[d] + 1;
  }
  return sizes;
}

void Convolve::shape(ShapeCall& call) {
  const TensorMeta &x = tensor_of(call, 0), &weight = tensor_of(call, 1);
  const auto& a = call.attrs.as<Attrs>();
  const auto rank = static_cast<size_t>(weight.rank()) - 2;
  VITRO_CHECK(weight.rank() >= 3 && weight.rank() <= 5 && x.rank() == weight.rank(), call.op,
              ": needs x and weight of the same rank, 3 to 5, got sizes ", x.sizes, " and ",
              weight.sizes);
  check_attributes(call.op, a, rank);
  check_dtypes(call.op, x, weight);
  call.results.push_back(dense_in(gives_channels_last(x, weight), x.dtype, x.device,
                                  sizes_under(call.op, x, weight, a)));
}

WindowsSpec Convolve::windows(AttrsView attrs) {
  const auto& a = attrs.as<Attrs>();
  return {a.stride, a.dilation, a.padding, a.groups};
}

Tensor windows_of(const Tensor& x, const ConvolveAttrs& a, const Sizes& weight) {
  Sizes pad, taps, sizes{x.size(0) * a.groups, weight[1]};
  bool pads = false;
  for (size_t d = a.stride.size(); d-- > 0;) {
    pad.push_back(a.padding[d]);
    pad.push_back(a.padding_after[d]);
    pads = pads || !known_equal(a.padding[d], 0) || !known_equal(a.padding_after[d], 0);
  }
  for (size_t d = 0; d < a.stride.size(); ++d) {
    taps.push_back(weight[d + 2]);
    sizes[1] = sizes[1] * weight[d + 2];
  }
  const Tensor parts = patches(pads ? constant_pad_nd(x, pad) : x, taps, a.stride, a.dilation);
  Size places = 1;
  for (size_t d = 0; d < taps.size(); ++d)
    places = places * parts.size(-1 - static_cast<int64_t>(d));
  sizes.push_back(places);
  return reshape(parts, sizes);
}

namespace {

// There is no kernel of windows for integers.
Tensor convolved_integers(const Tensor& x, const Tensor& weight, const ConvolveAttrs& a) {
  const Sizes sizes = sizes_under(Convolve::name, x.rule_meta(), weight.rule_meta(), a);
  const Tensor terms = windows_of(x, a, weight.sizes());
  const Size of_group = weight.size(0) / a.groups;
  const Tensor rows = reshape(weight, {1, a.groups, of_group, terms.size(1)});
  const Tensor of_each = expand(rows, {x.size(0), a.groups, of_group, terms.size(1)});
  const Tensor y =
      reshape(bmm(reshape(of_each, {terms.size(0), of_group, terms.size(1)}), terms), sizes);
  return gives_channels_last(x.rule_meta(), weight.rule_meta()) ? with_channels_last(y) : y;
}

}  // namespace

Tensor convolved(const At& x, const Tensor& weight, const ConvolveAttrs& a) {
  const Tensor& t = x.operand.tensor();
  return is_floating(t.dtype()) ? convolve(x, weight, a) : convolved_integers(t, weight, a);
}

}  // namespace ops
}  // namespace vitro
