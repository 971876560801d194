// The public functions of convolutions: their arguments, `convolve` or its adjoint, and the bias.
#include <algorithm>

#include "core/numbers.h"
#include "ops/autocast.h"
#include "ops/convolve.h"
#include "ops/wide.h"
#include "vitro/base/called_as.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/ops/binary.h"
#include "vitro/ops/create.h"
#include "vitro/ops/view.h"

namespace vitro {
namespace ops {
namespace {

Dims numbers(std::string_view op, std::string_view what, const DimsArg& given, const Tensor& weight,
             int64_t least) {
  const auto rank = static_cast<size_t>(weight.rank()) - 2;
  const Dims all = given.size() == 1 ? Dims(rank, given[0]) : Dims(given);
  check_numbers(op, what, all, rank, least);
  return all;
}

// As many elements before and after as keep the sizes of x, or none.
void pad_by_word(std::string_view op, std::string_view word, const Tensor& weight,
                 ConvolveAttrs& a) {
  const bool same = word == "same";
  VITRO_CHECK(same || word == "valid", op,
              ": padding must be numbers, \"valid\" or \"same\", got \"", word, '"');
  for (size_t d = 0; d < a.stride.size(); ++d) {
    VITRO_CHECK(!same || a.stride[d] == 1, op, ": padding \"same\" needs a stride of 1, got ",
                a.stride);
    const auto [before, after] =
        same ? same_padding(weight.sizes()[d + 2], a.dilation[d]) : SamePadding{0, 0};
    a.padding.push_back(before);
    a.padding_after.push_back(after);
  }
}

}  // namespace

void check_batch(std::string_view op, const Tensor& x, const Tensor& weight) {
  VITRO_CHECK(weight.rank() >= 3 && weight.rank() <= 5 && x.rank() == weight.rank(), op,
              ": needs x and weight of the same rank, 3 to 5, got sizes ", numbers_of(x.sizes()),
              " and ", numbers_of(weight.sizes()));
}

ConvolveAttrs attrs_of(std::string_view op, const Tensor& weight, const ConvAttrs& attrs) {
  ConvolveAttrs a{numbers(op, "stride", attrs.stride, weight, 1),
                  {},
                  {},
                  numbers(op, "dilation", attrs.dilation, weight, 1),
                  attrs.groups};
  if (!attrs.padding.word.empty()) {
    pad_by_word(op, attrs.padding.word, weight, a);
    return a;
  }
  for (const int64_t n : numbers(op, "padding", attrs.padding.numbers, weight, 0))
    a.padding.push_back(n);
  a.padding_after = a.padding;
  return a;
}

Transposition transposition(std::string_view op, const Tensor& x, const Tensor& weight,
                            const ConvTransposeAttrs& attrs) {
  const int64_t groups = attrs.groups;
  Transposition out{attrs_of(op, weight, {attrs.stride, attrs.padding, attrs.dilation, groups}),
                    {}};
  ConvolveAttrs& a = out.attrs;
  const Dims more = numbers(op, "output_padding", attrs.output_padding, weight, 0);
  VITRO_CHECK(groups > 0 && equal(weight.size(0) % groups, 0), op, ": with groups = ", groups,
              ", dimension 0 of weight must be a multiple of it, got sizes ",
              numbers_of(weight.sizes()));
  VITRO_CHECK(equal(x.size(1), weight.size(0)), op, ": with weight of sizes ",
              numbers_of(weight.sizes()), ", x needs ", number_of(weight.size(0)),
              " channels, got sizes ", numbers_of(x.sizes()));
  for (size_t d = 0; d < more.size(); ++d) {
    VITRO_CHECK(more[d] < std::max(a.stride[d], a.dilation[d]), op, ": output_padding ", more,
                " must be less than the stride or the dilation, got ", a.stride, " and ",
                a.dilation);
    const Size count = x.sizes()[d + 2], kernel = weight.sizes()[d + 2];
    const Size size = (count - 1) * a.stride[d] + (kernel - 1) * a.dilation[d] + 1 + more[d] -
                      a.padding[d] - a.padding_after[d];
    VITRO_CHECK(less(0, count) && less(0, kernel) && less(0, size), op, ": the result has ",
                number_of(size), " elements in dimension ", d + 2, ", x has ", number_of(count),
                " there and weight ", number_of(kernel), "; needs at least one of each");
    a.padding_after[d] = a.padding_after[d] - more[d];
    out.sizes.push_back(size);
  }
  return out;
}

namespace {

// What all functions do before and after the contraction. `rank`: the spatial dimensions.
class Call {
 public:
  Call(std::string_view op, int64_t rank, const At& x, const Tensor& weight, const Tensor& bias)
      : op_(op), x_(x), weight_(weight), bias_(bias) {
    const Tensor& t = x.operand.tensor();
    single_ = t.rank() == rank + 1;
    VITRO_CHECK(single_ || t.rank() == rank + 2, op, ": needs x of rank ", rank + 2,
                " (a batch) or ", rank + 1, ", got sizes ", numbers_of(t.sizes()));
    VITRO_CHECK(weight.rank() == rank + 2, op, ": needs weight of rank ", rank + 2, ", got sizes ",
                numbers_of(weight.sizes()));
    VITRO_CHECK(t.dtype() == weight.dtype(), op, ": dtypes differ: x is ", t.dtype(),
                ", weight is ", weight.dtype(), "; cast one of them");
    VITRO_CHECK(!is_bool(t.dtype()), op, ": takes numbers, got ", t.dtype(), "; cast them first");
  }

  Tensor convolution(const ConvAttrs& attrs) const {
    check_bias(weight_.size(0));
    Dims stride = attrs.stride;  // one longer than any size leaves one place, whatever its length
    for (int64_t& n : stride) n = std::min(n, sym::largest_size);
    const ConvolveAttrs a =
        attrs_of(op_, weight_, {stride, attrs.padding, attrs.dilation, attrs.groups});
    return finished(convolved({image(), x_.where}, widened(weight_), a));
  }
  Tensor transposed(const ConvTransposeAttrs& attrs) const {
    check_bias(weight_.size(1) * attrs.groups);
    const Tensor x = image();
    const auto [a, sizes] = transposition(op_, x, weight_, attrs);
    return finished(ops::transposed({x, x_.where}, widened(weight_), a, sizes));
  }

 private:
  Tensor image() const {
    const Tensor x = widened(x_.operand.tensor());
    return single_ ? unsqueeze(x, 0) : x;
  }

  Tensor finished(Tensor y) const {
    if (bias_.defined()) {
      Sizes sizes(weight_.sizes().size() - 1, Size(1));
      sizes[0] = bias_.size(0);
      y = add({y, x_.where}, view(widened(bias_), sizes));
    }
    return to(single_ ? squeeze(y, 0) : y, x_.operand.tensor().dtype());
  }

  void check_bias(Size channels) const {
    if (!bias_.defined()) return;
    const DType dtype = x_.operand.tensor().dtype();
    VITRO_CHECK(bias_.rank() == 1 && equal(bias_.size(0), channels) && bias_.dtype() == dtype, op_,
                ": bias must be ", dtype, " of sizes [", number_of(channels), "], got ",
                bias_.dtype(), " of sizes ", numbers_of(bias_.sizes()));
  }

  std::string_view op_;
  const At& x_;
  const Tensor &weight_, &bias_;
  bool single_;  // x is one image, without a batch
};

Tensor conv(std::string_view op, int64_t rank, const At& x, const Tensor& weight,
            const Tensor& bias, const ConvAttrs& attrs) {
  const CalledAs name(op, x.where);
  return Call(op, rank, x, weight, bias).convolution(attrs);
}
Tensor conv_transpose(std::string_view op, int64_t rank, const At& x, const Tensor& weight,
                      const Tensor& bias, const ConvTransposeAttrs& attrs) {
  const CalledAs name(op, x.where);
  return Call(op, rank, x, weight, bias).transposed(attrs);
}

}  // namespace
}  // namespace ops

Tensor conv1d(ops::At x, const Tensor& weight, const Tensor& bias, const ops::ConvAttrs& attrs) {
  if (autocasts()) return autocasted("conv1d", &conv1d, x, weight, bias, attrs);
  return ops::conv("conv1d", 1, x, weight, bias, attrs);
}
Tensor conv2d(ops::At x, const Tensor& weight, const Tensor& bias, const ops::ConvAttrs& attrs) {
  if (autocasts()) return autocasted("conv2d", &conv2d, x, weight, bias, attrs);
  return ops::conv("conv2d", 2, x, weight, bias, attrs);
}
Tensor conv3d(ops::At x, const Tensor& weight, const Tensor& bias, const ops::ConvAttrs& attrs) {
  if (autocasts()) return autocasted("conv3d", &conv3d, x, weight, bias, attrs);
  return ops::conv("conv3d", 3, x, weight, bias, attrs);
}

Tensor conv_transpose1d(ops::At x, const Tensor& weight, const Tensor& bias,
                        const ops::ConvTransposeAttrs& attrs) {
  if (autocasts()) return autocasted("conv_transpose1d", &conv_transpose1d, x, weight, bias, attrs);
  return ops::conv_transpose("conv_transpose1d", 1, x, weight, bias, attrs);
}
Tensor conv_transpose2d(ops::At x, const Tensor& weight, const Tensor& bias,
                        const ops::ConvTransposeAttrs& attrs) {
  if (autocasts()) return autocasted("conv_transpose2d", &conv_transpose2d, x, weight, bias, attrs);
  return ops::conv_transpose("conv_transpose2d", 2, x, weight, bias, attrs);
}
Tensor conv_transpose3d(ops::At x, const Tensor& weight, const Tensor& bias,
                        const ops::ConvTransposeAttrs& attrs) {
  if (autocasts()) return autocasted("conv_transpose3d", &conv_transpose3d, x, weight, bias, attrs);
  return ops::conv_transpose("conv_transpose3d", 3, x, weight, bias, attrs);
}

Tensor convolution(ops::At x, const Tensor& weight, const Tensor& bias, DimsArg stride,
                   DimsArg padding, DimsArg dilation, bool transposed, DimsArg output_padding,
                   int64_t groups) {
  const CalledAs name("convolution", x.where);
  ops::check_batch("convolution", x.operand.tensor(), weight);
  const int64_t rank = weight.rank() - 2;
  return transposed
             ? ops::conv_transpose("convolution", rank, x, weight, bias,
                                   {stride, padding, output_padding, groups, dilation})
             : ops::conv("convolution", rank, x, weight, bias, {stride, padding, dilation, groups});
}

}  // namespace vitro
