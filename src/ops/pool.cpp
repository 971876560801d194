// Public functions of pools. Small kernels are windows (window.cpp); large ones are reductions of a
// view of the patches, which loop over the kernel instead of unrolling it.
#include <limits>

#include "core/numbers.h"
#include "ops/kernel_places.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/ops/reduce.h"
#include "vitro/ops/view.h"
#include "vitro/ops/window.h"

namespace vitro {
namespace {

// Kernels of at least this many elements are computed as a reduction of a view.
constexpr int64_t large_kernel = 64;

Scalar least_of(DType dtype) {
  if (is_floating(dtype)) return -std::numeric_limits<double>::infinity();
  if (dtype == DType::u8) return 0;
  return std::numeric_limits<int64_t>::min() >> (64 - 8 * bytes_of(dtype));
}

// One number is for height and width.
DimsArg for_both(const DimsArg& numbers) {
  return numbers.size() == 1 ? DimsArg{numbers[0], numbers[0]} : numbers;
}

bool is_large(std::string_view op, const ops::Kernel& k, const Tensor& x) {
  if (k.count() <= large_kernel || k.ceil) return false;
  (void)ops::pooled_sizes(op, x.rule_meta(), k);
  return true;
}

}  // namespace

Tensor max_pool2d(ops::At x, DimsArg kernel_size, DimsArg stride, DimsArg padding, DimsArg dilation,
                  bool ceil_mode) {
  const CalledAs name("max_pool2d", x.where);
  const ops::MaxPoolAttrs attrs{std::move(kernel_size), std::move(stride), for_both(padding),
                                for_both(dilation), ceil_mode};
  const ops::Kernel k = ops::checked_kernel(ops::MaxPool2d::name, attrs);
  const Tensor& t = x.operand.tensor();
  if (!is_bool(t.dtype()) && is_large(ops::MaxPool2d::name, k, t))
    return amax(ops::patches_under(k, ops::padded_planes(t, k, least_of(t.dtype()))), {-4, -3});
  return ops::call<ops::MaxPool2d>(x.where, {x.operand}, attrs);
}

std::tuple<Tensor, Tensor> max_pool2d_with_indices(ops::At x, DimsArg kernel_size, DimsArg stride,
                                                   DimsArg padding, DimsArg dilation,
                                                   bool ceil_mode) {
  auto [values, indices] = ops::call_many<ops::MaxPool2dWithIndices, 2>(
      x.where, {x.operand},
      {std::move(kernel_size), std::move(stride), for_both(padding), for_both(dilation),
       ceil_mode});
  return {std::move(values), std::move(indices)};
}

Tensor avg_pool2d(ops::At x, DimsArg kernel_size, DimsArg stride, DimsArg padding, bool ceil_mode,
                  bool count_include_pad, std::optional<int64_t> divisor_override) {
  const CalledAs name("avg_pool2d", x.where);
  const ops::AvgPoolAttrs attrs{std::move(kernel_size), std::move(stride),
                                std::move(padding),     ceil_mode,
                                count_include_pad,      divisor_override};
  const ops::Kernel k = ops::checked_kernel(ops::AvgPool2d::name, attrs);
  const Tensor& t = x.operand.tensor();
  const bool counts_all = count_include_pad || (k.padding[0] == 0 && k.padding[1] == 0);
  if (counts_all && !divisor_override && is_floating(t.dtype()) &&
      is_large(ops::AvgPool2d::name, k, t))
    return mean(ops::patches_under(k, ops::padded_planes(t, k, 0)), {-4, -3});
  return ops::call<ops::AvgPool2d>(x.where, {x.operand}, attrs);
}

namespace {

// Converts the parameters of a 1d pool to those of a 2d pool over a plane of height 1.
struct OfWidth {
  std::string_view op;

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
  const Tensor& t = x.operand.tensor();
  VITRO_CHECK(t.rank() == 2 || t.rank() == 3,
              "max_pool1d: needs x of rank 3 (a batch) or 2, got sizes ", t.sizes());
  constexpr OfWidth of_width{"max_pool1d"};
  return squeeze(
      max_pool2d({unsqueeze({t, x.where}, -2), x.where}, of_width("kernel_size", 1, kernel_size),
                 of_width.stride(stride), of_width("padding", 0, padding),
                 of_width("dilation", 1, dilation), ceil_mode),
      -2);
}
Tensor avg_pool1d(ops::At x, DimsArg kernel_size, DimsArg stride, DimsArg padding, bool ceil_mode,
                  bool count_include_pad) {
  const CalledAs name("avg_pool1d", x.where);
  const Tensor& t = x.operand.tensor();
  VITRO_CHECK(t.rank() == 2 || t.rank() == 3,
              "avg_pool1d: needs x of rank 3 (a batch) or 2, got sizes ", t.sizes());
  constexpr OfWidth of_width{"avg_pool1d"};
  return squeeze(avg_pool2d({unsqueeze({t, x.where}, -2), x.where},
                            of_width("kernel_size", 1, kernel_size), of_width.stride(stride),
                            of_width("padding", 0, padding), ceil_mode, count_include_pad),
                 -2);
}

namespace {

// Splits the last dimensions of x into pieces [out, size / out] and returns the mean of each piece.
Tensor mean_of_pieces(std::string_view op, const Tensor& x, const Sizes& wanted, int least_rank) {
  const size_t planes = x.sizes().size() - wanted.size();
  VITRO_CHECK(x.rank() == least_rank || x.rank() == least_rank + 1, op, ": needs x of rank ",
              least_rank + 1, " (a batch) or ", least_rank, ", got sizes ", numbers_of(x.sizes()));
  VITRO_CHECK(is_floating(x.dtype()), op, ": takes floating-point numbers, got ", x.dtype());
  Sizes sizes = x.sizes();
  sizes.resize(planes);
  Dims folded, all;
  bool one_piece = true;
  for (size_t d = 0; d < wanted.size(); ++d) {
    const Size size = x.sizes()[planes + d], out = wanted[d];
    one_piece = one_piece && equal(out, 1);
    all.push_back(static_cast<int64_t>(planes + d));
    VITRO_CHECK(less(0, out) && less(0, size) && equal(size % out, 0), op, ": dimension ",
                planes + d, " of size ", number_of(size), " is not a multiple of the output size ",
                number_of(out), ", so its pieces would differ; pad or resample x first");
    sizes.push_back(out);
    folded.push_back(static_cast<int64_t>(sizes.size()));
    sizes.push_back(size / out);
  }
  return one_piece ? mean(x, all, true) : mean(reshape(x, sizes), folded);
}

}  // namespace

Tensor adaptive_avg_pool1d(ops::At x, DimsArg output_size) {
  const CalledAs name("adaptive_avg_pool1d", x.where);
  Sizes wanted;
  for (const int64_t size : output_size) wanted.push_back(size);
  VITRO_CHECK(wanted.size() == 1, "adaptive_avg_pool1d: needs one size, got ", wanted);
  return mean_of_pieces("adaptive_avg_pool1d", x.operand.tensor(), wanted, 2);
}
Tensor adaptive_avg_pool2d(ops::At x, SizesArg output_size) {
  const CalledAs name("adaptive_avg_pool2d", x.where);
  if (output_size.size() == 1) output_size.push_back(output_size[0]);
  VITRO_CHECK(output_size.size() == 2, "adaptive_avg_pool2d: needs two sizes, got ", output_size);
  return mean_of_pieces("adaptive_avg_pool2d", x.operand.tensor(), output_size, 3);
}

}  // namespace vitro
