// The table of functions that are not ops, one row each: ATen's schemas and the C++ function.
#include "functions.h"

#include "bind.h"
#include "ops/memory_format.h"
#include "vitro/base/called_as.h"
#include "vitro/core/autocast.h"
#include "vitro/ops/all.h"
#include "vitro/ops/channel_norm.h"
#include "vitro/ops/derived.h"

namespace vitro::ops {

void check_layout(std::string_view op, const Layout& layout) {
  VITRO_CHECK(layout.value_or("strided") == "strided", op, ": layout ", *layout,
              " is not implemented; needs strided");
}

namespace {

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
// Without a format the argument is a number, ATen's 0.
Tensor contiguous_in(At x, std::string_view memory_format) {
  if (memory_format.empty()) return contiguous(x);
  const CalledAs name("contiguous", x.where);
  return in_format("contiguous", x.operand.tensor(), memory_format);
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

// Overloads of the ops that resize: with sizes and one scale for each dimension, or by factors.
template <const Resizing& how>
Tensor resized1d(At x, const SizesArg& size, Scale scale) {
  return resized(how, x, size, {scale});
}
template <const Resizing& how>
Tensor resized2d(At x, const SizesArg& size, Scale h, Scale w) {
  return resized(how, x, size, {h, w});
}
template <const Resizing& how>
Tensor resized3d(At x, const SizesArg& size, Scale d, Scale h, Scale w) {
  return resized(how, x, size, {d, h, w});
}
template <const Resizing& how>
Tensor aligned1d(At x, const SizesArg& size, bool align_corners, Scale scale) {
  return resized(how, x, size, {scale}, align_corners);
}
template <const Resizing& how>
Tensor aligned2d(At x, const SizesArg& size, bool align_corners, Scale h, Scale w) {
  return resized(how, x, size, {h, w}, align_corners);
}
template <const Resizing& how>
Tensor aligned3d(At x, const SizesArg& size, bool align_corners, Scale d, Scale h, Scale w) {
  return resized(how, x, size, {d, h, w}, align_corners);
}
template <const Resizing& how>
Tensor by_factors(At x, const std::optional<Sizes>& size, const std::vector<Scalar>& factors) {
  return resized_by(how, x, size, factors);
}
template <const Resizing& how>
Tensor aligned_by_factors(At x, const std::optional<Sizes>& size, bool align_corners,
                          const std::vector<Scalar>& factors) {
  return resized_by(how, x, size, factors, align_corners);
}
Tensor core_adaptive_avg_pool2d(At x, const SizesArg& output_size) {
  const CalledAs name("_adaptive_avg_pool2d", x.where);
  return adaptive_avg_pool2d(x, output_size);
}
Tensor core_adaptive_avg_pool3d(At x, const SizesArg& output_size) {
  const CalledAs name("_adaptive_avg_pool3d", x.where);
  const WithoutAutocast as_given;
  return adaptive_avg_pool3d(x, output_size);
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
     "(Tensor(a) self, *, MemoryFormat memory_format=0) -> Tensor(a)", bound<&contiguous_in>},
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
    {"rms_norm", "x / the root of its mean square over the last dimensions, times weight.",
     "(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor",
     bound<&rms_norm>},
    {"batch_norm", "(x - mean) / deviation for each channel, times weight, plus bias.",
     "(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool "
     "training, float momentum, float eps, bool cudnn_enabled) -> Tensor",
     bound<&batch_norm>},
    {"_native_batch_norm_legit_no_training",
     "(x - mean) / deviation for each channel, times weight, plus bias; and two tensors without "
     "elements.",
     "(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, float "
     "momentum, float eps) -> (Tensor, Tensor, Tensor)",
     bound<&native_batch_norm_legit_no_training>},
    {"group_norm", "(x - mean) / deviation over groups of channels, times weight, plus bias.",
     "(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float "
     "eps=1.0000000000000001e-05, bool cudnn_enabled=True) -> Tensor",
     bound<&group_norm>},
    {"native_group_norm",
     "(x - mean) / deviation over groups of channels, times weight, plus bias; also the mean and 1 "
     "/ deviation.",
     "(Tensor input, Tensor? weight, Tensor? bias, SymInt N, SymInt C, SymInt HxW, int group, "
     "float "
     "eps) -> (Tensor, Tensor, Tensor)",
     bound<&native_group_norm>},
    {"instance_norm",
     "(x - mean) / deviation for each channel of each sample, times weight, plus bias.",
     "(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool "
     "use_input_stats, float momentum, float eps, bool cudnn_enabled) -> Tensor",
     bound<&instance_norm>},
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
     "x with a border: of `value`, mirrored (reflect), its outermost elements repeated "
     "(replicate), "
     "or x itself repeated (circular).",
     "(Tensor self, SymInt[] pad, str mode=\"constant\", float? value=None) -> Tensor",
     bound<&pad>},
    {"_pad_circular", "x repeated beyond its ends.", "(Tensor self, SymInt[] pad) -> Tensor",
     bound<&pad_circular>},
    {"max_pool1d", "The largest element under each place of the kernel.",
     "(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], int[1] dilation=[1], "
     "bool ceil_mode=False) -> Tensor",
     bound<&max_pool1d>},
    {"max_pool1d_with_indices",
     "The largest element under each place of the kernel, and its index.",
     "(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], int[1] dilation=[1], "
     "bool ceil_mode=False) -> (Tensor, Tensor)",
     bound<&max_pool1d_with_indices>},
    {"avg_pool1d", "The mean of the elements under each place of the kernel.",
     "(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], bool "
     "ceil_mode=False, bool count_include_pad=True) -> Tensor",
     bound<&avg_pool1d>},
    {"adaptive_avg_pool1d", "The means of output_size parts of nearly equal size.",
     "(Tensor self, int[1] output_size) -> Tensor", bound<&adaptive_avg_pool1d>},
    {"adaptive_avg_pool2d", "The means of output_size parts of nearly equal size.",
     "(Tensor self, SymInt[2] output_size) -> Tensor", bound<&adaptive_avg_pool2d>},
    {"_adaptive_avg_pool2d", "The means of output_size parts of nearly equal size.",
     "(Tensor self, SymInt[2] output_size) -> Tensor", bound<&core_adaptive_avg_pool2d>},
    {"adaptive_avg_pool3d", "The means of output_size parts of nearly equal size.",
     "(Tensor self, SymInt[3] output_size) -> Tensor", bound<&adaptive_avg_pool3d>},
    {"_adaptive_avg_pool3d", "The means of output_size parts of nearly equal size.",
     "(Tensor self, SymInt[3] output_size) -> Tensor", bound<&core_adaptive_avg_pool3d>},
    {"adaptive_max_pool1d",
     "The largest elements of output_size parts of nearly equal size, and their indices.",
     "(Tensor self, int[1] output_size) -> (Tensor, Tensor)", bound<&adaptive_max_pool1d>},
    {"adaptive_max_pool2d",
     "The largest elements of output_size parts of nearly equal size, and their indices.",
     "(Tensor self, int[2] output_size) -> (Tensor, Tensor)", bound<&adaptive_max_pool2d>},
    {"adaptive_max_pool3d",
     "The largest elements of output_size parts of nearly equal size, and their indices.",
     "(Tensor self, int[3] output_size) -> (Tensor, Tensor)", bound<&adaptive_max_pool3d>},
    {"max_unpool2d", "Planes of 0 with the elements of x at their indices.",
     "(Tensor self, Tensor indices, SymInt[2] output_size) -> Tensor", bound<&max_unpool2d>},
    {"avg_pool2d_backward", "The gradient of avg_pool2d.",
     "(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] stride, int[2] padding, bool "
     "ceil_mode, bool count_include_pad, int? divisor_override) -> Tensor",
     bound<&avg_pool2d_backward>},
    {"max_pool2d_with_indices_backward", "The gradient of max_pool2d_with_indices.",
     "(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] stride, int[2] padding, int[2] "
     "dilation, bool ceil_mode, Tensor indices) -> Tensor",
     bound<&max_pool2d_with_indices_backward>},
    {"_adaptive_avg_pool2d_backward", "The gradient of adaptive_avg_pool2d.",
     "(Tensor grad_output, Tensor self) -> Tensor", bound<&adaptive_avg_pool2d_backward>},
    {"adaptive_max_pool2d_backward", "The gradient of adaptive_max_pool2d.",
     "(Tensor grad_output, Tensor self, Tensor indices) -> Tensor",
     bound<&adaptive_max_pool2d_backward>},
    {"avg_pool3d_backward", "The gradient of avg_pool3d.",
     "(Tensor grad_output, Tensor self, int[3] kernel_size, int[3] stride, int[3] padding, bool "
     "ceil_mode, bool count_include_pad, int? divisor_override) -> Tensor",
     bound<&avg_pool3d_backward>},
    {"max_pool3d_with_indices_backward", "The gradient of max_pool3d_with_indices.",
     "(Tensor grad_output, Tensor self, int[3] kernel_size, int[3] stride, int[3] padding, int[3] "
     "dilation, bool ceil_mode, Tensor indices) -> Tensor",
     bound<&max_pool3d_with_indices_backward>},
    {"_adaptive_avg_pool3d_backward", "The gradient of adaptive_avg_pool3d.",
     "(Tensor grad_output, Tensor self) -> Tensor", bound<&adaptive_avg_pool3d_backward>},
    {"adaptive_max_pool3d_backward", "The gradient of adaptive_max_pool3d.",
     "(Tensor grad_output, Tensor self, Tensor indices) -> Tensor",
     bound<&adaptive_max_pool3d_backward>},
    {"col2im", "The planes whose columns (im2col) these are; where patches overlap, their sum.",
     "(Tensor self, SymInt[2] output_size, int[2] kernel_size, int[2] dilation, int[2] padding, "
     "int[2] stride) -> Tensor",
     bound<&col2im>},
    {"upsample_nearest1d", "x resized: each element is the nearest one of x.",
     "(Tensor self, SymInt[1] output_size, float? scales=None) -> Tensor",
     bound<&resized1d<nearest1d>>},
    {"upsample_nearest1d", "x resized: each element is the nearest one of x.",
     ".vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
     bound<&by_factors<nearest1d>>},
    {"upsample_nearest2d", "x resized: each element is the nearest one of x.",
     "(Tensor self, SymInt[2] output_size, float? scales_h=None, float? scales_w=None) -> Tensor",
     bound<&resized2d<nearest2d>>},
    {"upsample_nearest2d", "x resized: each element is the nearest one of x.",
     ".vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
     bound<&by_factors<nearest2d>>},
    {"upsample_nearest3d", "x resized: each element is the nearest one of x.",
     "(Tensor self, SymInt[3] output_size, float? scales_d=None, float? scales_h=None, float? "
     "scales_w=None) -> Tensor",
     bound<&resized3d<nearest3d>>},
    {"upsample_nearest3d", "x resized: each element is the nearest one of x.",
     ".vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
     bound<&by_factors<nearest3d>>},
    {"_upsample_nearest_exact1d",
     "x resized: each element is the one of x with the nearest center.",
     "(Tensor self, SymInt[1] output_size, float? scales=None) -> Tensor",
     bound<&resized1d<nearest_exact1d>>},
    {"_upsample_nearest_exact1d",
     "x resized: each element is the one of x with the nearest center.",
     ".vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
     bound<&by_factors<nearest_exact1d>>},
    {"_upsample_nearest_exact2d",
     "x resized: each element is the one of x with the nearest center.",
     "(Tensor self, SymInt[2] output_size, float? scales_h=None, float? scales_w=None) -> Tensor",
     bound<&resized2d<nearest_exact2d>>},
    {"_upsample_nearest_exact2d",
     "x resized: each element is the one of x with the nearest center.",
     ".vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
     bound<&by_factors<nearest_exact2d>>},
    {"_upsample_nearest_exact3d",
     "x resized: each element is the one of x with the nearest center.",
     "(Tensor self, SymInt[3] output_size, float? scales_d=None, float? scales_h=None, float? "
     "scales_w=None) -> Tensor",
     bound<&resized3d<nearest_exact3d>>},
    {"_upsample_nearest_exact3d",
     "x resized: each element is the one of x with the nearest center.",
     ".vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
     bound<&by_factors<nearest_exact3d>>},
    {"upsample_linear1d", "x resized: elements are interpolated linearly between neighbours.",
     "(Tensor self, SymInt[1] output_size, bool align_corners, float? scales=None) -> Tensor",
     bound<&aligned1d<linear1d>>},
    {"upsample_linear1d", "x resized: elements are interpolated linearly between neighbours.",
     ".vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> "
     "Tensor",
     bound<&aligned_by_factors<linear1d>>},
    {"upsample_bilinear2d", "x resized: elements are interpolated linearly between neighbours.",
     "(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? "
     "scales_w=None) -> Tensor",
     bound<&aligned2d<bilinear2d>>},
    {"upsample_bilinear2d", "x resized: elements are interpolated linearly between neighbours.",
     ".vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> "
     "Tensor",
     bound<&aligned_by_factors<bilinear2d>>},
    {"upsample_trilinear3d", "x resized: elements are interpolated linearly between neighbours.",
     "(Tensor self, SymInt[3] output_size, bool align_corners, float? scales_d=None, float? "
     "scales_h=None, float? scales_w=None) -> Tensor",
     bound<&aligned3d<trilinear3d>>},
    {"upsample_trilinear3d", "x resized: elements are interpolated linearly between neighbours.",
     ".vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> "
     "Tensor",
     bound<&aligned_by_factors<trilinear3d>>},
    {"upsample_bicubic2d", "x resized: elements are interpolated by cubic convolution.",
     "(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? "
     "scales_w=None) -> Tensor",
     bound<&aligned2d<bicubic2d>>},
    {"upsample_bicubic2d", "x resized: elements are interpolated by cubic convolution.",
     ".vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> "
     "Tensor",
     bound<&aligned_by_factors<bicubic2d>>},
    {"_upsample_bilinear2d_aa",
     "x resized: linear interpolation, over all elements that a new one covers.",
     "(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? "
     "scales_w=None) -> Tensor",
     bound<&aligned2d<bilinear2d_aa>>},
    {"_upsample_bilinear2d_aa",
     "x resized: linear interpolation, over all elements that a new one covers.",
     ".vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> "
     "Tensor",
     bound<&aligned_by_factors<bilinear2d_aa>>},
    {"_upsample_bicubic2d_aa",
     "x resized: cubic convolution, over all elements that a new one covers.",
     "(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? "
     "scales_w=None) -> Tensor",
     bound<&aligned2d<bicubic2d_aa>>},
    {"_upsample_bicubic2d_aa",
     "x resized: cubic convolution, over all elements that a new one covers.",
     ".vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> "
     "Tensor",
     bound<&aligned_by_factors<bicubic2d_aa>>},
    {"grid_sampler_2d", "x at the places of the grid, between -1 and 1.",
     "(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> "
     "Tensor",
     bound<&grid_sampler_2d>},
    {"grid_sampler_3d", "x at the places of the grid, between -1 and 1.",
     "(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> "
     "Tensor",
     bound<&grid_sampler_3d>},
    {"grid_sampler", "x at the places of the grid, between -1 and 1.",
     "(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> "
     "Tensor",
     bound<&grid_sampler>},
    {"affine_grid_generator", "The grid of an affine map, for grid_sampler.",
     "(Tensor theta, SymInt[] size, bool align_corners) -> Tensor", bound<&affine_grid_generator>},
    {"pixel_shuffle", "x [..., c * r * r, h, w] as [..., c, h * r, w * r].",
     "(Tensor self, int upscale_factor) -> Tensor", bound<&pixel_shuffle>},
    {"pixel_unshuffle", "x [..., c, h * r, w * r] as [..., c * r * r, h, w].",
     "(Tensor self, int downscale_factor) -> Tensor", bound<&pixel_unshuffle>},
    {"channel_shuffle", "The channels of the groups in turn.",
     "(Tensor self, SymInt groups) -> Tensor", bound<&channel_shuffle>},
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
    {"alias", "x itself.", "(Tensor(a) self) -> Tensor(a)", bound<&alias>},
    {"type_as", "x itself if it has the dtype of `other`, else a converted copy.",
     "(Tensor self, Tensor other) -> Tensor", bound<&type_as>},
    {"reshape_as", "x with the sizes of `other`: a view if the strides allow it, else a copy.",
     "(Tensor(a) self, Tensor other) -> Tensor(a)", bound<&reshape_as>},
    {"swapaxes", "x with two dimensions swapped.",
     "(Tensor(a) self, int axis0, int axis1) -> Tensor(a)", bound<&swapaxes>},
    {"numpy_T", "x with its dimensions in reverse order.", "(Tensor(a) self) -> Tensor(a)",
     bound<&numpy_T>},
    {"repeat", "x repeated along each dimension; further numbers add dimensions in front.",
     "(Tensor self, SymInt[] repeats) -> Tensor", bound<&repeat>},
    {"multiply", "a * b; logical and for bool.",
     ".Tensor(Tensor self, Tensor other) -> Tensor\n"
     ".Scalar(Tensor self, Scalar other) -> Tensor",
     bound<&multiply>},
    {"nansum", "The sum over `dim` of the elements that are not NaN.",
     "(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
     bound<&nansum>},
    {"take_along_dim",
     "gather with operands broadcast in the other dimensions; without `dim`, of flattened "
     "operands.",
     "(Tensor self, Tensor indices, int? dim=None) -> Tensor", bound<&take_along_dim>},
    {"masked_scatter", "x with elements of `source`, in order, where the mask is true.",
     "(Tensor self, Tensor mask, Tensor source) -> Tensor", bound<&masked_scatter>},
    {"hstack", "The operands concatenated along dimension 1, vectors along dimension 0.",
     "(Tensor[] tensors) -> Tensor", bound<&hstack>},
    {"vstack", "The operands, vectors as rows, concatenated along dimension 0.",
     "(Tensor[] tensors) -> Tensor", bound<&vstack>},
    {"dstack", "The operands, with at least three dimensions, concatenated along dimension 2.",
     "(Tensor[] tensors) -> Tensor", bound<&dstack>},
    {"baddbmm", "beta * x + alpha * bmm(a, b).",
     "(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
     bound<&baddbmm>},
};

}  // namespace

std::span<const NamedFunction> functions() {
  return rows;
}

}  // namespace vitro::ops
