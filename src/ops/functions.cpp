// The functions beside the ops, one row each: ATen's signatures and the C++ function.
#include "functions.h"

#include "bind.h"
#include "vitro/ops/all.h"

namespace vitro::ops {
namespace {

// What functions that make tensors take.
#define VITRO_OPTIONS                                                           \
  "*, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? " \
  "pin_memory=None"
using Layout = std::optional<std::string>;
void check_layout(const Layout& layout) {
  VITRO_CHECK(layout.value_or("strided") == "strided", "layout ", *layout,
              " is not implemented; needs strided");
}

Tensor zeros_of(Sizes size, std::optional<DType> dtype, const Layout& layout,
                std::optional<Device> device, std::source_location from) {
  check_layout(layout);
  return zeros(std::move(size), dtype.value_or(default_float), device, from);
}
Tensor ones_of(Sizes size, std::optional<DType> dtype, const Layout& layout,
               std::optional<Device> device, std::source_location from) {
  check_layout(layout);
  return ones(std::move(size), dtype.value_or(default_float), device, from);
}
Tensor scalar_tensor_of(const Scalar& s, std::optional<DType> dtype, const Layout& layout,
                        std::optional<Device> device, std::source_location from) {
  check_layout(layout);
  return scalar_tensor(s, dtype.value_or(default_float), device, from);
}
Tensor arange_between(const Scalar& start, const Scalar& end, std::optional<DType> dtype,
                      const Layout& layout, std::optional<Device> device,
                      std::source_location from) {
  check_layout(layout);
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

using PutTensor = Tensor (*)(At, int64_t, const Tensor&, const Tensor&, ScatterWith);
using PutValue = Tensor (*)(At, int64_t, const Tensor&, const Scalar&);
using PutValueWith = Tensor (*)(At, int64_t, const Tensor&, const Scalar&, ScatterWith);

constexpr NamedFunction rows[] = {
    {"scatter", "x with `value` in the places that the indices name along dim.",
     ".value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor",
     bound<static_cast<PutValue>(&scatter)>},
    {"scatter", "x with the elements of `src` added to, or times, what the indices name along dim.",
     ".reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor",
     bound<static_cast<PutTensor>(&scatter)>},
    {"scatter", "x with `value` added to, or times, what the indices name along dim.",
     ".value_reduce(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor",
     bound<static_cast<PutValueWith>(&scatter)>},
    {"scatter_", "x with `value` in the places that the indices name along dim.",
     ".value(Tensor(a!) self, int dim, Tensor index, Scalar value) -> Tensor(a!)",
     bound<static_cast<PutValue>(&scatter_)>},
    {"scatter_",
     "x with the elements of `src` added to, or times, what the indices name along dim.",
     ".reduce(Tensor(a!) self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor(a!)",
     bound<static_cast<PutTensor>(&scatter_)>},
    {"scatter_", "x with `value` added to, or times, what the indices name along dim.",
     ".value_reduce(Tensor(a!) self, int dim, Tensor index, Scalar value, *, str reduce) -> "
     "Tensor(a!)",
     bound<static_cast<PutValueWith>(&scatter_)>},
    {"take", "The elements of the flattened x that the indices name.",
     "(Tensor self, Tensor index) -> Tensor", bound<&take>},
    {"put", "x with the elements of `source` where the indices name those of the flattened x.",
     "(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor", bound<&put>},
    {"put_", "x with the elements of `source` where the indices name those of the flattened x.",
     "(Tensor(a!) self, Tensor index, Tensor source, bool accumulate=False) -> Tensor(a!)",
     bound<&put_>},
    {"index_fill", "x with `value` in the slices that the indices name along dim.",
     ".int_Scalar(Tensor self, int dim, Tensor index, Scalar value) -> Tensor\n"
     ".int_Tensor(Tensor self, int dim, Tensor index, Tensor value) -> Tensor",
     bound<&index_fill>},
    {"index_fill_", "x with `value` in the slices that the indices name along dim.",
     ".int_Scalar(Tensor(a!) self, int dim, Tensor index, Scalar value) -> Tensor(a!)\n"
     ".int_Tensor(Tensor(a!) self, int dim, Tensor index, Tensor value) -> Tensor(a!)",
     bound<&index_fill_>},
    {"square", "x * x.", "(Tensor self) -> Tensor", bound<&square>},
    {"masked_fill", "`value` where the mask holds, x elsewhere.",
     ".Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor\n"
     ".Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor",
     bound<&masked_fill>},
    {"masked_fill_", "`value` where the mask holds, x elsewhere.",
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
    {"contiguous", "x itself where its elements lie in row-major order, else a copy that does.",
     "(Tensor(a) self, *, MemoryFormat memory_format=0) -> Tensor(a)", bound<&contiguous>},
    {"to", "x itself where it has the dtype, else a copy that has.",
     ".dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, "
     "MemoryFormat? memory_format=None) -> Tensor(a)",
     bound<&to>},
    {"reshape", "A view where strides allow it, else a copy.",
     "(Tensor(a) self, SymInt[] shape) -> Tensor(a)", bound<&reshape>},
    {"flatten", "The dimensions from start_dim to end_dim as one.",
     ".using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)", bound<&flatten>},
    {"transpose", "Two dimensions exchanged.",
     ".int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)", bound<&transpose>},
    {"t", "A matrix transposed.", "(Tensor(a) self) -> Tensor(a)", bound<&t>},
    {"narrow", "`length` elements along dim from start on.",
     "(Tensor(a) self, int dim, SymInt start, SymInt length) -> Tensor(a)", bound<&narrow>},
    {"split", "Pieces of split_size along dim; the last may be smaller.",
     ".Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]", bound<&split>},
    {"split_with_sizes", "Pieces of the given sizes along dim.",
     "(Tensor(a -> *) self, SymInt[] split_sizes, int dim=0) -> Tensor(a)[]",
     bound<&split_with_sizes>},
    {"chunk", "At most `chunks` pieces of equal size along dim; the last may be smaller.",
     "(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]", bound<&chunk>},
    {"unbind", "The slices along dim, which goes away.",
     ".int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]", bound<&unbind>},
    {"softmax", "e^x along dim, scaled to a sum of 1.",
     ".int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", bound<&softmax>},
    {"log_softmax", "The logarithm of softmax.",
     ".int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", bound<&log_softmax>},
    {"layer_norm", "x less its mean, over its deviation, times weight, plus bias.",
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
};
#undef VITRO_OPTIONS

}  // namespace

std::span<const NamedFunction> functions() {
  return rows;
}

}  // namespace vitro::ops
