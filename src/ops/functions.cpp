// The table of functions that are not ops, one row each: ATen's schemas and the C++ function.
#include "functions.h"

#include "bind.h"
#include "vitro/ops/all.h"

namespace vitro::ops {
namespace {

// The arguments of functions that create tensors.
#define VITRO_OPTIONS                                                           \
  "*, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? " \
  "pin_memory=None"
using Layout = std::optional<std::string>;
void check_layout(std::string_view op, const Layout& layout) {
  VITRO_CHECK(layout.value_or("strided") == "strided", op, ": layout ", *layout,
              " is not implemented; needs strided");
}

Tensor zeros_of(Sizes size, std::optional<DType> dtype, const Layout& layout,
                std::optional<Device> device, std::source_location from) {
  check_layout("zeros", layout);
  return zeros(std::move(size), dtype.value_or(default_float), device, from);
}
Tensor ones_of(Sizes size, std::optional<DType> dtype, const Layout& layout,
               std::optional<Device> device, std::source_location from) {
  check_layout("ones", layout);
  return ones(std::move(size), dtype.value_or(default_float), device, from);
}
Tensor scalar_tensor_of(const Scalar& s, std::optional<DType> dtype, const Layout& layout,
                        std::optional<Device> device, std::source_location from) {
  check_layout("scalar_tensor", layout);
  return scalar_tensor(s, dtype.value_or(default_float), device, from);
}
Tensor arange_between(const Scalar& start, const Scalar& end, std::optional<DType> dtype,
                      const Layout& layout, std::optional<Device> device,
                      std::source_location from) {
  check_layout("arange", layout);
  return arange(start, end, 1, dtype, device, from);
}
Tensor arange_to(const Scalar& end, std::optional<DType> dtype, const Layout& layout,
                 std::optional<Device> device, std::source_location from) {
  return arange_between(0, end, dtype, layout, device, from);
}
Tensor layer_norm_of(At x, Sizes normalized_shape, const Tensor& weight, const Tensor& bias,
                     double eps) {
  return layer_norm(x, std::move(normalized_shape), weight, bias, eps);
}
Tensor var_of(At x, bool unbiased) {
  return var(x, {}, unbiased ? 1 : 0);
}
Tensor var_along(At x, Dims dim, bool unbiased, bool keepdim) {
  return var(x, std::move(dim), unbiased ? 1 : 0, keepdim);
}
std::tuple<Tensor, Tensor> var_mean_of(At x, bool unbiased) {
  return var_mean(x, {}, unbiased ? 1 : 0);
}
std::tuple<Tensor, Tensor> var_mean_along(At x, Dims dim, bool unbiased, bool keepdim) {
  return var_mean(x, std::move(dim), unbiased ? 1 : 0, keepdim);
}

// The output sizes of x's last dimensions, given as sizes or as scale factors, and the scales with
// which indices are computed.
struct Resampling {
  SizesArg sizes;
  std::vector<std::optional<double>> scales;
};
Resampling resampling_of(std::string_view op, const Tensor& x, const std::optional<Sizes>& sizes,
                         const std::vector<Scalar>& factors) {
  VITRO_CHECK(sizes.has_value() != !factors.empty(), op,
              ": needs either output_size or scale_factors");
  const size_t dims = x.sizes().size() - std::min<size_t>(x.sizes().size(), 2);
  if (sizes) return {*sizes, std::vector<std::optional<double>>(dims)};
  VITRO_CHECK(factors.size() == dims, op, ": needs ", dims, " scale_factors, got ", factors.size());
  Resampling out;
  for (size_t d = 0; d < dims; ++d) {
    const double factor = factors[d].as_double();
    const auto size = static_cast<float>(x.sizes()[2 + d].value());
    VITRO_CHECK(factor > 0 && factor * size < 1e9, op, ": scale factors must be positive, got ",
                factor);
    out.sizes.push_back(static_cast<int64_t>(static_cast<double>(size) * factor));
    out.scales.emplace_back(factor);
  }
  return out;
}
Tensor nearest1d_of(At x, const std::optional<Sizes>& sizes, const std::vector<Scalar>& factors) {
  const Tensor& t = x.operand.tensor();
  VITRO_CHECK(t.rank() == 3, "upsample_nearest1d: needs x of rank 3, got sizes ", t.sizes());
  const auto [to, scales] = resampling_of("upsample_nearest1d", t, sizes, factors);
  return upsample_nearest1d(x, to, scales[0]);
}
Tensor nearest2d_of(At x, const std::optional<Sizes>& sizes, const std::vector<Scalar>& factors) {
  const Tensor& t = x.operand.tensor();
  VITRO_CHECK(t.rank() == 4, "upsample_nearest2d: needs x of rank 4, got sizes ", t.sizes());
  const auto [to, scales] = resampling_of("upsample_nearest2d", t, sizes, factors);
  return upsample_nearest2d(x, to, scales[0], scales[1]);
}
Tensor bilinear2d_of(At x, const std::optional<Sizes>& sizes, bool align_corners,
                     const std::vector<Scalar>& factors) {
  const Tensor& t = x.operand.tensor();
  VITRO_CHECK(t.rank() == 4, "upsample_bilinear2d: needs x of rank 4, got sizes ", t.sizes());
  const auto [to, scales] = resampling_of("upsample_bilinear2d", t, sizes, factors);
  return upsample_bilinear2d(x, to, align_corners, scales[0], scales[1]);
}
Tensor argsort_stable(At x, bool, int64_t dim, bool descending) {
  return argsort(x, dim, descending);
}
std::pair<Tensor, Tensor> median_along(At x, int64_t dim, bool keepdim) {
  return median(x, dim, keepdim);
}
std::pair<Tensor, Tensor> nanmedian_along(At x, int64_t dim, bool keepdim) {
  return nanmedian(x, dim, keepdim);
}

using PutTensor = Tensor (*)(At, int64_t, const Tensor&, const Tensor&, ScatterWith);
using PutValue = Tensor (*)(At, int64_t, const Tensor&, const Scalar&);
using PutValueWith = Tensor (*)(At, int64_t, const Tensor&, const Scalar&, ScatterWith);

constexpr NamedFunction rows[] = {
    {"scatter", "x with `value` at the indices along dim.",
     ".value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor",
     bound<static_cast<PutValue>(&scatter)>},
    {"scatter", "x with the elements at the indices along dim plus, or times, those of `src`.",
     ".reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor",
     bound<static_cast<PutTensor>(&scatter)>},
    {"scatter", "x with the elements at the indices along dim plus, or times, `value`.",
     ".value_reduce(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor",
     bound<static_cast<PutValueWith>(&scatter)>},
    {"scatter_", "x with `value` at the indices along dim.",
     ".value(Tensor(a!) self, int dim, Tensor index, Scalar value) -> Tensor(a!)",
     bound<static_cast<PutValue>(&scatter_)>},
    {"scatter_", "x with the elements at the indices along dim plus, or times, those of `src`.",
     ".reduce(Tensor(a!) self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor(a!)",
     bound<static_cast<PutTensor>(&scatter_)>},
    {"scatter_", "x with the elements at the indices along dim plus, or times, `value`.",
     ".value_reduce(Tensor(a!) self, int dim, Tensor index, Scalar value, *, str reduce) -> "
     "Tensor(a!)",
     bound<static_cast<PutValueWith>(&scatter_)>},
    {"take", "The elements of the flattened x at the indices.",
     "(Tensor self, Tensor index) -> Tensor", bound<&take>},
    {"put", "x with the elements of `source` at the indices of the flattened x.",
     "(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor", bound<&put>},
    {"put_", "x with the elements of `source` at the indices of the flattened x.",
     "(Tensor(a!) self, Tensor index, Tensor source, bool accumulate=False) -> Tensor(a!)",
     bound<&put_>},
    {"index_fill", "x with `value` in the slices at the indices along dim.",
     ".int_Scalar(Tensor self, int dim, Tensor index, Scalar value) -> Tensor\n"
     ".int_Tensor(Tensor self, int dim, Tensor index, Tensor value) -> Tensor",
     bound<&index_fill>},
    {"index_fill_", "x with `value` in the slices at the indices along dim.",
     ".int_Scalar(Tensor(a!) self, int dim, Tensor index, Scalar value) -> Tensor(a!)\n"
     ".int_Tensor(Tensor(a!) self, int dim, Tensor index, Tensor value) -> Tensor(a!)",
     bound<&index_fill_>},
    {"square", "x * x.", "(Tensor self) -> Tensor", bound<&square>},
    {"masked_fill", "`value` where the mask is true, x elsewhere.",
     ".Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor\n"
     ".Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor",
     bound<&masked_fill>},
    {"masked_fill_", "`value` where the mask is true, x elsewhere.",
     ".Scalar(Tensor(a!) self, Tensor mask, Scalar value) -> Tensor(a!)\n"
     ".Tensor(Tensor(a!) self, Tensor mask, Tensor value) -> Tensor(a!)",
     bound<&masked_fill_>},
    {"zero_", "x with every element 0.", "(Tensor(a!) self) -> Tensor(a!)", bound<&zero_>},
    {"zeros", "A new tensor of zeros.", "(SymInt[] size, " VITRO_OPTIONS ") -> Tensor",
     bound<&zeros_of>},
    {"ones", "A new tensor of ones.", "(SymInt[] size, " VITRO_OPTIONS ") -> Tensor",
     bound<&ones_of>},
    {"zeros_like", "Zeros of x's shape.",
     "(Tensor self, " VITRO_OPTIONS ", MemoryFormat? memory_format=None) -> Tensor",
     bound<&zeros_like>},
    {"ones_like", "Ones of x's shape.",
     "(Tensor self, " VITRO_OPTIONS ", MemoryFormat? memory_format=None) -> Tensor",
     bound<&ones_like>},
    {"scalar_tensor", "A tensor without dimensions.", "(Scalar s, " VITRO_OPTIONS ") -> Tensor",
     bound<&scalar_tensor_of>},
    {"arange", "0, 1, ... before end.", "(Scalar end, " VITRO_OPTIONS ") -> Tensor",
     bound<&arange_to>},
    {"arange", "start, start + 1, ... before end.",
     ".start(Scalar start, Scalar end, " VITRO_OPTIONS ") -> Tensor", bound<&arange_between>},
    {"contiguous", "x itself if it is contiguous, else a contiguous copy.",
     "(Tensor(a) self, *, MemoryFormat memory_format=0) -> Tensor(a)", bound<&contiguous>},
    {"to", "x itself if it has the dtype, else a converted copy.",
     ".dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, "
     "MemoryFormat? memory_format=None) -> Tensor(a)",
     bound<&to>},
    {"reshape", "A view if the strides allow it, else a copy.",
     "(Tensor(a) self, SymInt[] shape) -> Tensor(a)", bound<&reshape>},
    {"flatten", "The dimensions from start_dim to end_dim as one.",
     ".using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)", bound<&flatten>},
    {"transpose", "x with two dimensions swapped.",
     ".int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)", bound<&transpose>},
    {"t", "A matrix transposed.", "(Tensor(a) self) -> Tensor(a)", bound<&t>},
    {"narrow", "`length` elements along dim, beginning at start.",
     "(Tensor(a) self, int dim, SymInt start, SymInt length) -> Tensor(a)", bound<&narrow>},
    {"split", "Pieces of split_size along dim; the last may be smaller.",
     ".Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]", bound<&split>},
    {"split_with_sizes", "Pieces of the given sizes along dim.",
     "(Tensor(a -> *) self, SymInt[] split_sizes, int dim=0) -> Tensor(a)[]",
     bound<&split_with_sizes>},
    {"chunk", "At most `chunks` pieces of equal size along dim; the last may be smaller.",
     "(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]", bound<&chunk>},
    {"unbind", "The slices along dim, which is removed.",
     ".int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]", bound<&unbind>},
    {"softmax", "e^x along dim, scaled to a sum of 1.",
     ".int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", bound<&softmax>},
    {"log_softmax", "The logarithm of softmax.",
     ".int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", bound<&log_softmax>},
    {"layer_norm", "(x - mean) / deviation, times weight, plus bias.",
     "(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float "
     "eps=1.0000000000000001e-05, bool cudnn_enable=True) -> Tensor",
     bound<&layer_norm_of>},
    {"var", "Mean squared distance from the mean.", "(Tensor self, bool unbiased=True) -> Tensor",
     bound<&var_of>},
    {"var", "Mean squared distance from the mean.",
     ".dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor",
     bound<&var_along>},
    {"var_mean", "Mean squared distance from the mean, and the mean.",
     "(Tensor self, bool unbiased=True) -> (Tensor, Tensor)", bound<&var_mean_of>},
    {"var_mean", "Mean squared distance from the mean, and the mean.",
     ".dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, "
     "Tensor)",
     bound<&var_mean_along>},
    {"pad",
     "x with a border: of `value`, mirrored (reflect), or its outermost elements repeated "
     "(replicate).",
     "(Tensor self, SymInt[] pad, str mode=\"constant\", float? value=None) -> Tensor",
     bound<&pad>},
    {"max_pool1d", "The largest element under each place of the kernel.",
     "(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], int[1] dilation=[1], "
     "bool ceil_mode=False) -> Tensor",
     bound<&max_pool1d>},
    {"avg_pool1d", "The mean of the elements under each place of the kernel.",
     "(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], bool "
     "ceil_mode=False, bool count_include_pad=True) -> Tensor",
     bound<&avg_pool1d>},
    {"adaptive_avg_pool1d", "The mean of pieces of equal size.",
     "(Tensor self, int[1] output_size) -> Tensor", bound<&adaptive_avg_pool1d>},
    {"adaptive_avg_pool2d", "The mean of pieces of equal size.",
     "(Tensor self, SymInt[2] output_size) -> Tensor", bound<&adaptive_avg_pool2d>},
    {"_adaptive_avg_pool2d", "The mean of pieces of equal size.",
     "(Tensor self, SymInt[2] output_size) -> Tensor", bound<&adaptive_avg_pool2d>},
    {"upsample_nearest1d", "x resized: each element is the nearest one of x.",
     "(Tensor self, SymInt[1] output_size, float? scales=None) -> Tensor",
     bound<&upsample_nearest1d>},
    {"upsample_nearest1d", "x resized: each element is the nearest one of x.",
     ".vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
     bound<&nearest1d_of>},
    {"upsample_nearest2d", "x resized: each element is the nearest one of x.",
     "(Tensor self, SymInt[2] output_size, float? scales_h=None, float? scales_w=None) -> Tensor",
     bound<&upsample_nearest2d>},
    {"upsample_nearest2d", "x resized: each element is the nearest one of x.",
     ".vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
     bound<&nearest2d_of>},
    {"upsample_bilinear2d", "x resized: elements are interpolated linearly between neighbours.",
     "(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? "
     "scales_w=None) -> Tensor",
     bound<&upsample_bilinear2d>},
    {"upsample_bilinear2d", "x resized: elements are interpolated linearly between neighbours.",
     ".vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> "
     "Tensor",
     bound<&bilinear2d_of>},
    {"argsort", "The indices that sort each row along `dim`.",
     "(Tensor self, int dim=-1, bool descending=False) -> Tensor", bound<&argsort>},
    {"argsort", "The indices that sort each row along `dim`.",
     ".stable(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor",
     bound<&argsort_stable>},
    {"msort", "x sorted along dimension 0.", "(Tensor self) -> Tensor", bound<&msort>},
    {"kthvalue", "The k-th smallest of each row along `dim`, and its index.",
     "(Tensor self, SymInt k, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)",
     bound<&kthvalue>},
    {"mode", "The most frequent element of each row along `dim`, the smallest of several.",
     "(Tensor self, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)",
     bound<&mode>},
    {"median", "The median, the lower one of two; NaN if there is one.",
     ".dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
     bound<&median_along>},
    {"nanmedian", "The median, ignoring NaNs.",
     ".dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
     bound<&nanmedian_along>},
};
#undef VITRO_OPTIONS

}  // namespace

std::span<const NamedFunction> functions() {
  return rows;
}

}  // namespace vitro::ops
