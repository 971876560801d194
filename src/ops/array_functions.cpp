// The table of elementwise functions, and of functions that move, count or create elements: ATen's
// schemas and the C++ function of each.
#include "bind.h"
#include "core/numbers.h"
#include "functions.h"
#include "vitro/ops/arithmetic.h"
#include "vitro/ops/create.h"
#include "vitro/ops/gather.h"
#include "vitro/ops/rearrange.h"
#include "vitro/ops/view.h"

namespace vitro::ops {
namespace {

std::vector<Tensor> split_in_sections(At x, int64_t sections, int64_t dim) {
  return tensor_split(x, sections, dim);
}
std::vector<Tensor> meshgrid_of(std::span<const Tensor> tensors, std::source_location from) {
  return meshgrid(tensors, "ij", from);
}
Tensor repeated(At x, Size repeats, std::optional<int64_t> dim, std::optional<Size> output_size) {
  const Tensor made = repeat_interleave(x, repeats, dim);
  const Size size = made.size(dim.value_or(0));
  VITRO_CHECK(!output_size || equal(size, *output_size), "repeat_interleave: output_size is ",
              number_of(*output_size), ", but there are ", number_of(size), " elements");
  return made;
}
Tensor repeated_each(At x, const Tensor& repeats, std::optional<int64_t> dim,
                     std::optional<Size> output_size) {
  return repeat_interleave(x, repeats, dim, output_size);
}

Tensor eye_of_sizes(Size n, Size m, std::optional<DType> dtype, const Layout& layout,
                    std::optional<Device> device, std::source_location from) {
  check_layout("eye", layout);
  return eye(n, m, dtype.value_or(default_float), device, from);
}
Tensor eye_of(Size n, std::optional<DType> dtype, const Layout& layout,
              std::optional<Device> device, std::source_location from) {
  return eye_of_sizes(n, n, dtype, layout, device, from);
}
Tensor linspace_of(const Scalar& start, const Scalar& end, int64_t steps,
                   std::optional<DType> dtype, const Layout& layout, std::optional<Device> device,
                   std::source_location from) {
  check_layout("linspace", layout);
  return linspace(start, end, steps, dtype.value_or(default_float), device, from);
}
Tensor logspace_of(const Scalar& start, const Scalar& end, int64_t steps, double base,
                   std::optional<DType> dtype, const Layout& layout, std::optional<Device> device,
                   std::source_location from) {
  check_layout("logspace", layout);
  return logspace(start, end, steps, base, dtype.value_or(default_float), device, from);
}
// New tensors whose elements nobody needs are zeros, so that every run gives the same.
Tensor empty_of(Sizes size, std::optional<DType> dtype, const Layout& layout,
                std::optional<Device> device, std::source_location from) {
  check_layout("empty", layout);
  return zeros(std::move(size), dtype.value_or(default_float), device, from);
}
Tensor empty_strided_of(const Sizes& size, const Sizes& stride, std::optional<DType> dtype,
                        const Layout& layout, std::optional<Device> device,
                        std::source_location from) {
  check_layout("empty_strided", layout);
  VITRO_CHECK(size.size() == stride.size(), "empty_strided: needs a stride for each size, got ",
              numbers_of(size), " and ", numbers_of(stride));
  Size elements = 1;
  for (size_t d = 0; d < size.size(); ++d) {
    VITRO_CHECK(!less(stride[d], 0), "empty_strided: strides must not be negative, got ",
                numbers_of(stride));
    elements = elements + max(size[d] - 1, 0) * stride[d];
  }
  return as_strided({zeros({elements}, dtype.value_or(default_float), device, from), from}, size,
                    stride);
}
Tensor new_empty_of(At x, Sizes size, std::optional<DType> dtype, const Layout& layout,
                    std::optional<Device> device) {
  const Tensor& t = x.operand.tensor();
  return empty_of(std::move(size), dtype.value_or(t.dtype()), layout, device.value_or(t.device()),
                  x.where);
}
Tensor new_empty_strided_of(At x, const Sizes& size, const Sizes& stride,
                            std::optional<DType> dtype, const Layout& layout,
                            std::optional<Device> device) {
  const Tensor& t = x.operand.tensor();
  return empty_strided_of(size, stride, dtype.value_or(t.dtype()), layout,
                          device.value_or(t.device()), x.where);
}
Tensor spaced_between(const Operand& start, const Operand& end, int64_t steps,
                      std::optional<DType> dtype, const Layout& layout,
                      std::optional<Device> device, std::source_location from) {
  check_layout("linspace", layout);
  return linspace_between(start, end, steps, dtype.value_or(default_float), device, from);
}
Tensor powers_between(const Operand& start, const Operand& end, int64_t steps, double base,
                      std::optional<DType> dtype, const Layout& layout,
                      std::optional<Device> device, std::source_location from) {
  check_layout("logspace", layout);
  return logspace_between(start, end, steps, base, dtype.value_or(default_float), device, from);
}
Tensor count_nonzero_along(At x, std::optional<int64_t> dim) {
  return count_nonzero(x, dim ? DimsArg{*dim} : DimsArg{});
}
Tensor std_of(At x, bool unbiased) {
  return stddev(x, {}, unbiased ? 1 : 0);
}
Tensor std_along(At x, Dims dim, bool unbiased, bool keepdim) {
  return stddev(x, std::move(dim), unbiased ? 1 : 0, keepdim);
}
Tensor std_corrected(At x, Dims dim, const std::optional<Scalar>& correction, bool keepdim) {
  return stddev(x, std::move(dim), correction ? correction->as_double() : 1, keepdim);
}
Tensor searchsorted_of(At sorted_sequence, const Tensor& x, bool out_int32, bool right,
                       const std::optional<std::string>& side, const Tensor& sorter) {
  VITRO_CHECK(side.value_or("left") == "left" || *side == "right",
              "searchsorted: side must be \"left\" or \"right\", got \"", *side, "\"");
  VITRO_CHECK(!right || !side || *side == "right",
              "searchsorted: right=True and side=\"left\" contradict each other");
  const Tensor row =
      sorter.defined() ? gather(sorted_sequence, -1, sorter) : sorted_sequence.operand.tensor();
  return searchsorted({row, sorted_sequence.where}, x, out_int32,
                      right || side.value_or("left") == "right");
}
Tensor searchsorted_number(At row, const Scalar& x, bool out_int32, bool right,
                           const std::optional<std::string>& side, const Tensor& sorter) {
  const Tensor& t = row.operand.tensor();
  return searchsorted_of(row, scalar_tensor(x, t.dtype(), t.device()), out_int32, right, side,
                         sorter);
}
Tensor isin_of(At elements, const Tensor& test_elements, bool, bool invert) {
  return isin(elements, test_elements, invert);
}

constexpr NamedFunction rows[] = {
    {"clamp_min", "x, or min where it is smaller.",
     "(Tensor self, Scalar min) -> Tensor\n"
     ".Tensor(Tensor self, Tensor min) -> Tensor",
     bound<&clamp_min>},
    {"clamp_min_", "x, or min where it is smaller.",
     "(Tensor(a!) self, Scalar min) -> Tensor(a!)\n"
     ".Tensor(Tensor(a!) self, Tensor min) -> Tensor(a!)",
     written<&clamp_min>},
    {"clamp_max", "x, or max where it is larger.",
     "(Tensor self, Scalar max) -> Tensor\n"
     ".Tensor(Tensor self, Tensor max) -> Tensor",
     bound<&clamp_max>},
    {"clamp_max_", "x, or max where it is larger.",
     "(Tensor(a!) self, Scalar max) -> Tensor(a!)\n"
     ".Tensor(Tensor(a!) self, Tensor max) -> Tensor(a!)",
     written<&clamp_max>},
    {"lerp", "x + weight * (end - x).",
     ".Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor\n"
     ".Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor",
     bound<&lerp>},
    {"lerp_", "x + weight * (end - x).",
     ".Scalar(Tensor(a!) self, Tensor end, Scalar weight) -> Tensor(a!)\n"
     ".Tensor(Tensor(a!) self, Tensor end, Tensor weight) -> Tensor(a!)",
     written<&lerp>},
    {"addcmul", "x + value * tensor1 * tensor2.",
     "(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor", bound<&addcmul>},
    {"addcmul_", "x + value * tensor1 * tensor2.",
     "(Tensor(a!) self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor(a!)",
     written<&addcmul>},
    {"addcdiv", "x + value * tensor1 / tensor2.",
     "(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor", bound<&addcdiv>},
    {"addcdiv_", "x + value * tensor1 / tensor2.",
     "(Tensor(a!) self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor(a!)",
     written<&addcdiv>},
    {"xlogy", "x * log(other), but 0 where x is 0.",
     ".Tensor(Tensor self, Tensor other) -> Tensor\n"
     ".Scalar_Other(Tensor self, Scalar other) -> Tensor\n"
     ".Scalar_Self(Scalar self, Tensor other) -> Tensor",
     bound<&xlogy>},
    {"xlogy_", "x * log(other), but 0 where x is 0.",
     ".Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)\n"
     ".Scalar_Other(Tensor(a!) self, Scalar other) -> Tensor(a!)",
     written<&xlogy>},
    {"special_xlog1py", "x * log(1 + other), but 0 where x is 0.",
     "(Tensor self, Tensor other) -> Tensor\n"
     ".other_scalar(Tensor self, Scalar other) -> Tensor\n"
     ".self_scalar(Scalar self, Tensor other) -> Tensor",
     bound<&xlog1py>},
    {"logit", "log(x / (1 - x)).", "(Tensor self, float? eps=None) -> Tensor", bound<&logit>},
    {"logit_", "log(x / (1 - x)).", "(Tensor(a!) self, float? eps=None) -> Tensor(a!)",
     written<&logit>},
    {"sinc", "sin(pi * x) / (pi * x), 1 at 0.", "(Tensor self) -> Tensor", bound<&sinc>},
    {"sinc_", "sin(pi * x) / (pi * x), 1 at 0.", "(Tensor(a!) self) -> Tensor(a!)", written<&sinc>},
    {"special_entr", "-x * log(x), 0 at 0, -infinity below.", "(Tensor self) -> Tensor",
     bound<&entr>},
    {"special_ndtr", "The probability that a standard normal number is at most x.",
     "(Tensor self) -> Tensor", bound<&ndtr>},
    {"nan_to_num", "x with other numbers in place of NaN and infinities.",
     "(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor",
     bound<&nan_to_num>},
    {"nan_to_num_", "x with other numbers in place of NaN and infinities.",
     "(Tensor(a!) self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor(a!)",
     written<&nan_to_num>},
    {"isclose", "Whether |x - other| <= atol + rtol * |other|.",
     "(Tensor self, Tensor other, float rtol=1.0000000000000001e-05, float atol=1e-08, bool "
     "equal_nan=False) -> Tensor",
     bound<&isclose>},
    {"isfinite", "Whether it is neither infinite nor NaN.", "(Tensor self) -> Tensor",
     bound<&isfinite>},
    {"isposinf", "Whether it is infinity.", "(Tensor self) -> Tensor", bound<&isposinf>},
    {"isneginf", "Whether it is -infinity.", "(Tensor self) -> Tensor", bound<&isneginf>},
    {"heaviside", "0 below 0, 1 above, `values` at 0.", "(Tensor self, Tensor values) -> Tensor",
     bound<&heaviside>},
    {"heaviside_", "0 below 0, 1 above, `values` at 0.",
     "(Tensor(a!) self, Tensor values) -> Tensor(a!)", written<&heaviside>},
    {"hypot", "The root of x^2 + other^2.", "(Tensor self, Tensor other) -> Tensor", bound<&hypot>},
    {"hypot_", "The root of x^2 + other^2.", "(Tensor(a!) self, Tensor other) -> Tensor(a!)",
     written<&hypot>},
    {"copysign", "|x| with the sign of other.",
     ".Tensor(Tensor self, Tensor other) -> Tensor\n"
     ".Scalar(Tensor self, Scalar other) -> Tensor",
     bound<&copysign>},
    {"copysign_", "|x| with the sign of other.",
     ".Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)\n"
     ".Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)",
     written<&copysign>},
    {"float_power", "x to the power of the exponent, in f64.",
     ".Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor\n"
     ".Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor\n"
     ".Scalar(Scalar self, Tensor exponent) -> Tensor",
     bound<&float_power>},
    {"ldexp", "x * 2^other.", ".Tensor(Tensor self, Tensor other) -> Tensor", bound<&ldexp>},
    {"ldexp_", "x * 2^other.", "(Tensor(a!) self, Tensor other) -> Tensor(a!)", written<&ldexp>},
    {"bitwise_left_shift", "x << other.",
     ".Tensor(Tensor self, Tensor other) -> Tensor\n"
     ".Tensor_Scalar(Tensor self, Scalar other) -> Tensor\n"
     ".Scalar_Tensor(Scalar self, Tensor other) -> Tensor",
     bound<&bitwise_left_shift>},
    {"bitwise_left_shift_", "x << other.",
     ".Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)\n"
     ".Tensor_Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)",
     written<&bitwise_left_shift>},
    {"bitwise_right_shift", "x >> other.",
     ".Tensor(Tensor self, Tensor other) -> Tensor\n"
     ".Tensor_Scalar(Tensor self, Scalar other) -> Tensor\n"
     ".Scalar_Tensor(Scalar self, Tensor other) -> Tensor",
     bound<&bitwise_right_shift>},
    {"bitwise_right_shift_", "x >> other.",
     ".Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)\n"
     ".Tensor_Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)",
     written<&bitwise_right_shift>},
    {"roll", "x with its elements moved along dims, those that leave entering at the other end.",
     "(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor", bound<&roll>},
    {"fliplr", "x in reverse order along dimension 1.", "(Tensor self) -> Tensor", bound<&fliplr>},
    {"flipud", "x in reverse order along dimension 0.", "(Tensor self) -> Tensor", bound<&flipud>},
    {"rot90", "x after k quarter turns in two dimensions.",
     "(Tensor self, int k=1, int[] dims=[0, 1]) -> Tensor", bound<&rot90>},
    {"tensor_split", "So many pieces along dim, the first ones longer by one if needed.",
     ".sections(Tensor(a -> *) self, SymInt sections, int dim=0) -> Tensor(a)[]",
     bound<&split_in_sections>},
    {"tensor_split", "Pieces along dim, split before the indices.",
     ".indices(Tensor(a -> *) self, SymInt[] indices, int dim=0) -> Tensor(a)[]",
     bound<&tensor_split_at>},
    {"meshgrid", "A grid of vectors, each along its own dimension.",
     "(Tensor[] tensors) -> Tensor[]", bound<&meshgrid_of>},
    {"meshgrid", "A grid of vectors, each along its own dimension.",
     ".indexing(Tensor[] tensors, *, str indexing) -> Tensor[]", bound<&meshgrid>},
    {"cartesian_prod", "All combinations of the elements of vectors, one per row.",
     "(Tensor[] tensors) -> Tensor", bound<&cartesian_prod>},
    {"repeat_interleave", "x with each element along dim repeated.",
     ".self_int(Tensor self, SymInt repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor",
     bound<&repeated>},
    {"repeat_interleave", "x with each element along dim repeated as often as `repeats` says.",
     ".self_Tensor(Tensor self, Tensor repeats, int? dim=None, *, SymInt? output_size=None) -> "
     "Tensor",
     bound<&repeated_each>},
    {"eye", "A matrix with 1 on its diagonal, else 0.", "(SymInt n, " VITRO_OPTIONS ") -> Tensor",
     bound<&eye_of>},
    {"eye", "A matrix with 1 on its diagonal, else 0.",
     ".m(SymInt n, SymInt m, " VITRO_OPTIONS ") -> Tensor", bound<&eye_of_sizes>},
    {"linspace", "`steps` numbers from start to end, both included.",
     "(Scalar start, Scalar end, int steps, " VITRO_OPTIONS ") -> Tensor", bound<&linspace_of>},
    {"logspace", "base to the power of `steps` numbers from start to end.",
     "(Scalar start, Scalar end, int steps, float base=10., " VITRO_OPTIONS ") -> Tensor",
     bound<&logspace_of>},
    {"empty", "A new tensor, of zeros.",
     ".memory_format(SymInt[] size, " VITRO_OPTIONS ", MemoryFormat? memory_format=None) -> Tensor",
     bound<&empty_of>},
    {"empty_strided", "A new tensor with these strides, of zeros.",
     "(SymInt[] size, SymInt[] stride, " VITRO_OPTIONS ") -> Tensor", bound<&empty_strided_of>},
    {"new_empty", "A new tensor of the dtype of x, of zeros.",
     "(Tensor self, SymInt[] size, " VITRO_OPTIONS ") -> Tensor", bound<&new_empty_of>},
    {"new_empty_strided", "A new tensor of the dtype of x with these strides, of zeros.",
     "(Tensor self, SymInt[] size, SymInt[] stride, " VITRO_OPTIONS ") -> Tensor",
     bound<&new_empty_strided_of>},
    {"linspace", "`steps` numbers from start to end, both included.",
     ".Tensor_Tensor(Tensor start, Tensor end, int steps, " VITRO_OPTIONS ") -> Tensor\n"
     ".Tensor_Scalar(Tensor start, Scalar end, int steps, " VITRO_OPTIONS ") -> Tensor\n"
     ".Scalar_Tensor(Scalar start, Tensor end, int steps, " VITRO_OPTIONS ") -> Tensor",
     bound<&spaced_between>},
    {"logspace", "base to the power of `steps` numbers from start to end.",
     ".Tensor_Tensor(Tensor start, Tensor end, int steps, float base=10., " VITRO_OPTIONS
     ") -> Tensor\n"
     ".Tensor_Scalar(Tensor start, Scalar end, int steps, float base=10., " VITRO_OPTIONS
     ") -> Tensor\n"
     ".Scalar_Tensor(Scalar start, Tensor end, int steps, float base=10., " VITRO_OPTIONS
     ") -> Tensor",
     bound<&powers_between>},
    {"one_hot", "1 at each index along a new last dimension, else 0.",
     "(Tensor self, int num_classes=-1) -> Tensor", bound<&one_hot>},
    {"diff", "Differences of neighbours along dim, n times.",
     "(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor",
     bound<&diff>},
    {"trapezoid", "The integral of y by the trapezoidal rule.",
     ".x(Tensor y, Tensor x, *, int dim=-1) -> Tensor",
     bound<static_cast<Tensor (*)(At, const Tensor&, int64_t)>(&trapezoid)>},
    {"trapezoid", "The integral of y by the trapezoidal rule.",
     ".dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor",
     bound<static_cast<Tensor (*)(At, const Scalar&, int64_t)>(&trapezoid)>},
    {"cumulative_trapezoid", "The integrals of y by the trapezoidal rule, up to each place.",
     ".x(Tensor y, Tensor x, *, int dim=-1) -> Tensor",
     bound<static_cast<Tensor (*)(At, const Tensor&, int64_t)>(&cumulative_trapezoid)>},
    {"cumulative_trapezoid", "The integrals of y by the trapezoidal rule, up to each place.",
     ".dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor",
     bound<static_cast<Tensor (*)(At, const Scalar&, int64_t)>(&cumulative_trapezoid)>},
    {"histc", "The number of elements in equal parts of [min, max].",
     "(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor", bound<&histc>},
    {"count_nonzero", "The number of elements that are not 0.",
     "(Tensor self, int? dim=None) -> Tensor", bound<&count_nonzero_along>},
    {"count_nonzero", "The number of elements over `dim` that are not 0.",
     ".dim_IntList(Tensor self, int[] dim) -> Tensor", bound<&count_nonzero>},
    {"std", "The root of the variance.", "(Tensor self, bool unbiased=True) -> Tensor",
     bound<&std_of>},
    {"std", "The root of the variance.",
     ".dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor",
     bound<&std_along>},
    {"std", "The root of the variance (over count - correction).",
     ".correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) "
     "-> Tensor",
     bound<&std_corrected>},
    {"searchsorted", "The index in each sorted row where an element would be inserted.",
     ".Tensor(Tensor sorted_sequence, Tensor self, *, bool out_int32=False, bool right=False, str? "
     "side=None, Tensor? sorter=None) -> Tensor",
     bound<&searchsorted_of>},
    {"searchsorted", "The index in the sorted row where a number would be inserted.",
     ".Scalar(Tensor sorted_sequence, Scalar self, *, bool out_int32=False, bool right=False, str? "
     "side=None, Tensor? sorter=None) -> Tensor",
     bound<&searchsorted_number>},
    {"bucketize", "The index among the boundaries where an element would be inserted.",
     ".Tensor(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor",
     bound<&bucketize>},
    {"isin", "Whether each element is among the test elements.",
     ".Tensor_Tensor(Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool "
     "invert=False) -> Tensor",
     bound<&isin_of>},
};

}  // namespace

std::span<const NamedFunction> array_functions() {
  return rows;
}

}  // namespace vitro::ops
