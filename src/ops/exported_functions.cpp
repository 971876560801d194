// The table of functions that exported programs call besides those that people write: assertions,
// Python's operators, copies of views, in-place forms, weight norm, and products of groups of rows.
#include <algorithm>
#include <limits>

#include "bind.h"
#include "core/numbers.h"
#include "functions.h"
#include "ops/value.h"
#include "ops/view_copy.h"
#include "ops/wide.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/ops/arithmetic.h"
#include "vitro/ops/binary.h"
#include "vitro/ops/compaction.h"
#include "vitro/ops/complex.h"
#include "vitro/ops/concat.h"
#include "vitro/ops/create.h"
#include "vitro/ops/derived.h"
#include "vitro/ops/distance.h"
#include "vitro/ops/gather.h"
#include "vitro/ops/layout.h"
#include "vitro/ops/linear_algebra.h"
#include "vitro/ops/product.h"
#include "vitro/ops/rearrange.h"
#include "vitro/ops/scan.h"
#include "vitro/ops/sort.h"
#include "vitro/ops/special.h"
#include "vitro/ops/unary.h"
#include "vitro/ops/view.h"

namespace vitro::ops {
namespace {

// Nothing, or an error if the tensor differs from what it was when the program was exported.
std::vector<Tensor> assert_tensor_metadata(At a, const std::optional<Sizes>& size,
                                           const std::optional<Sizes>& stride,
                                           std::optional<DType> dtype, std::optional<Device> device,
                                           const Layout& layout) {
  constexpr std::string_view op = "_assert_tensor_metadata";
  const Tensor& t = a.operand.tensor();
  check_layout(op, layout);
  const auto check = [&](bool is_same, std::string_view what, const std::string& got,
                         const std::string& wanted) {
    VITRO_CHECK(is_same, op, ": the ", what, got, ", the program was made for ", wanted);
  };
  if (size)
    check(equal_sizes(t.sizes(), *size), "sizes are ", cat(numbers_of(t.sizes())),
          cat(numbers_of(*size)));
  if (stride)
    check(equal_sizes(t.strides(), *stride), "strides are ", cat(numbers_of(t.strides())),
          cat(numbers_of(*stride)));
  if (dtype) check(*dtype == t.dtype(), "dtype is ", cat(t.dtype()), cat(*dtype));
  if (device) check(*device == t.device(), "tensor is on ", cat(t.device()), cat(*device));
  return {};
}

std::vector<Tensor> assert_scalar(const Scalar& condition, const std::string& message) {
  VITRO_CHECK(condition.as_bool(), "_assert_scalar: ", message);
  return {};
}
std::vector<Tensor> constrain_range(const Scalar& size, std::optional<int64_t> min,
                                    std::optional<int64_t> max) {
  const std::string_view op = CalledAs::current().name;
  VITRO_CHECK(!size.is_floating() && !size.is_complex(), op, ": needs an integer, got ", size);
  VITRO_CHECK(!(min && less(size.size(), *min)) && !(max && less(*max, size.size())), op, ": ",
              number_of(size.size()), " is not in the range from ", min.value_or(INT64_MIN), " to ",
              max.value_or(INT64_MAX));
  return {};
}

Tensor and_of(At a, const Operand& b) {
  return call<BitwiseAnd>(a.where, {a.operand, b});
}
Tensor or_of(At a, const Operand& b) {
  return call<BitwiseOr>(a.where, {a.operand, b});
}
Tensor xor_of(At a, const Operand& b) {
  return call<BitwiseXor>(a.where, {a.operand, b});
}
Tensor slice_of(At x, int64_t dim, std::optional<Size> start, std::optional<Size> end,
                int64_t step) {
  return slice(x, dim, start.value_or(0), end.value_or(INT64_MAX), step);
}
Tensor repeated_places(At repeats, std::optional<Size> output_size) {
  const Tensor& counts = repeats.operand.tensor();
  VITRO_CHECK(counts.rank() == 1, "repeat_interleave: repeats must have rank 1, got sizes ",
              numbers_of(counts.sizes()));
  const Tensor places = arange(counts.size(0), DType::i64, counts.device());
  return to(repeat_interleave({places, repeats.where}, counts, 0, output_size), counts.dtype());
}

// The mask is checked before the elements, as it is when the result is written.
Tensor masked_scatter_within(At x, const Tensor& mask, const Tensor& source) {
  const Sizes& sizes = x.operand.tensor().sizes();
  VITRO_CHECK(equal_sizes(broadcast("masked_scatter_", sizes, mask.sizes()), sizes),
              "masked_scatter_: a mask of sizes ", numbers_of(mask.sizes()),
              " does not broadcast to x of sizes ", numbers_of(sizes));
  return masked_scatter(x, mask, source);
}

// ---- weight norm ----

// The norms of v without `dim`, as [1, n, 1]; of all of v if that is -1, as in torch.
Value norms_of(std::string_view op, const Tensor& v, int64_t dim, const Scalar& power) {
  if (dim == -1 || v.rank() == 0) return linalg_vector_norm(v, power);
  Dims reduced;
  for (int64_t d = 0, kept = wrap_dim(op, dim, v.rank()); d < v.rank(); ++d)
    if (d != kept) reduced.push_back(d);
  return reduced.empty() ? abs(v) : Value(linalg_vector_norm(v, power, reduced, true));
}
Tensor norm_except_dim(At v, int64_t power, int64_t dim) {
  const Tensor wide = widened("norm_except_dim", v);
  return to(norms_of("norm_except_dim", wide, dim, power), v.operand.tensor().dtype());
}
Tensor weight_norm(At v, const Tensor& g, int64_t dim) {
  constexpr std::string_view op = "_weight_norm";
  const Value wide = widened(op, v);
  return to(wide * (widened(op, {g, v.where}) / norms_of(op, wide, dim, 2)),
            v.operand.tensor().dtype());
}

// ---- products ----

// Each operand with new dimensions of size 1 where its list says; the product, summed.
Tensor trilinear(At i1, const Tensor& i2, const Tensor& i3, const Dims& expand1,
                 const Dims& expand2, const Dims& expand3, const Dims& sumdim, int64_t unroll_dim) {
  constexpr std::string_view op = "_trilinear";
  const auto expanded = [&](const Tensor& t, const Dims& where) {
    const auto rank = t.rank() + static_cast<int64_t>(where.size());
    const Dims dims = where.empty() ? where : wrap_dims(op, where, static_cast<int>(rank));
    Value out = widened(op, {t, i1.where});
    for (int64_t d = 0; d < rank; ++d)
      if (std::ranges::find(dims, d) != dims.end()) out = unsqueeze(out, d);
    return out;
  };
  const Tensor& t = i1.operand.tensor();
  const Value product = expanded(t, expand1) * expanded(i2, expand2) * expanded(i3, expand3);
  (void)wrap_dim(op, unroll_dim, product.rank());
  const Dims dims = sumdim.empty() ? Dims() : wrap_dims(op, sumdim, product.rank());
  return to(dims.empty() ? product : sum(product, dims), t.dtype());
}

// The group of a row is the number of ends up to it. The rows of each group, whose number is a data
// size, are multiplied by its matrix; those after the last group are 0.
Tensor grouped_mm(At input, const Tensor& weight, const Tensor& offs) {
  constexpr std::string_view op = "grouped_mm_fallback";
  const Tensor& x = input.operand.tensor();
  check_integers(op, offs.dtype());
  VITRO_CHECK(x.rank() == 2 && weight.rank() == 3 && offs.rank() == 1 &&
                  equal(weight.size(0), offs.size(0)) && equal(x.size(1), weight.size(1)),
              op, ": needs rows [m, k], matrices [groups, k, n] and ends [groups], got sizes ",
              numbers_of(x.sizes()), ", ", numbers_of(weight.sizes()), " and ",
              numbers_of(offs.sizes()));
  const auto groups = static_cast<int64_t>(weight.size(0));
  const Value ends = to(offs, DType::i64), place = arange(x.size(0), DType::i64, x.device());
  std::vector<Tensor> parts;
  if (groups != 0) {
    const Value group = searchsorted(ends, place, false, true);
    for (int64_t g = 0; g < groups; ++g) {
      const Tensor rows = select(nonzero(group == g), 1, 0);
      parts.push_back(mm({index_select(x, 0, rows), input.where}, select(weight, 0, g)));
    }
  }
  parts.push_back(zeros({1, weight.size(2)}, x.dtype(), x.device()));
  const Value last =
      groups == 0 ? Value(zeros({}, DType::i64, x.device())) : Value(select(ends, 0, -1));
  return index_select({cat(parts), input.where}, 0, minimum(place, last));
}

constexpr NamedFunction rows[] = {
    {"_assert_tensor_metadata",
     "Nothing; an error unless the tensor has these sizes, strides and dtype.",
     "(Tensor a, SymInt[]? size=None, SymInt[]? stride=None, ScalarType? dtype=None, *, Device? "
     "device=None, Layout? layout=None) -> ()",
     bound<&assert_tensor_metadata>},
    {"_assert_scalar", "Nothing; an error with the message unless the number is not 0.",
     "(Scalar self, str assert_msg) -> ()", bound<&assert_scalar>},
    {"sym_constrain_range", "Nothing; an error unless the number is between both.",
     "(Scalar size, *, int? min=None, int? max=None) -> ()", bound<&constrain_range>},
    {"sym_constrain_range_for_size", "Nothing; an error unless the number is between both.",
     "(Scalar size, *, int? min=None, int? max=None) -> ()", bound<&constrain_range>},
    {"__and__", "self & other, bit by bit.",
     ".Tensor(Tensor self, Tensor other) -> Tensor\n"
     ".Scalar(Tensor self, Scalar other) -> Tensor",
     bound<&and_of>},
    {"__or__", "self | other, bit by bit.",
     ".Tensor(Tensor self, Tensor other) -> Tensor\n"
     ".Scalar(Tensor self, Scalar other) -> Tensor",
     bound<&or_of>},
    {"__xor__", "self ^ other, bit by bit.",
     ".Tensor(Tensor self, Tensor other) -> Tensor\n"
     ".Scalar(Tensor self, Scalar other) -> Tensor",
     bound<&xor_of>},
    {"__lshift__", "self << other, for integers.",
     ".Tensor(Tensor self, Tensor other) -> Tensor\n"
     ".Scalar(Tensor self, Scalar other) -> Tensor",
     bound<&bitwise_left_shift>},
    {"__rshift__", "self >> other, for integers.",
     ".Tensor(Tensor self, Tensor other) -> Tensor\n"
     ".Scalar(Tensor self, Scalar other) -> Tensor",
     bound<&bitwise_right_shift>},
    {"_conj_physical", "The complex conjugate.", "(Tensor self) -> Tensor", bound<&vitro::conj>},
    {"lift_fresh_copy", "A copy of x.", "(Tensor self) -> Tensor", copied<&alias>},
    {"detach_copy", "A copy of x.", "(Tensor self) -> Tensor", copied<&alias>},
    {"select_copy", "A copy of the slice at an index of dim, which is removed.",
     ".int(Tensor self, int dim, SymInt index) -> Tensor", copied<&select>},
    {"slice_copy", "A copy of every `step`-th element along dim from start to end.",
     ".Tensor(Tensor self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> "
     "Tensor",
     copied<&slice_of>},
    {"split_copy", "Copies of pieces of `split_size` elements along dim.",
     ".Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]", copied<&split>},
    {"view", "The same memory as elements of another dtype.",
     ".dtype(Tensor(a) self, ScalarType dtype) -> Tensor(a)",
     bound<static_cast<Tensor (*)(At, DType)>(&vitro::view)>},
    {"view_copy", "The bytes of the elements as those of another dtype, in new memory.",
     ".dtype(Tensor self, ScalarType dtype) -> Tensor", bound<&view_copy_as>},
    {"pad_sequence", "The sequences as one tensor, padded to the longest one.",
     "(Tensor[] sequences, bool batch_first=False, float padding_value=0., str "
     "padding_side=\"right\") -> Tensor",
     bound<&pad_sequence>},
    {"vander", "The powers of each element of a vector.",
     "(Tensor x, int? N=None, bool increasing=False) -> Tensor", bound<&vander>},
    {"view_as_real_copy", "A copy of complex numbers as pairs [..., 2] of real ones.",
     "(Tensor self) -> Tensor", copied<&view_as_real>},
    {"view_as_complex_copy", "A copy of pairs [..., 2] as complex numbers.",
     "(Tensor self) -> Tensor", copied<&view_as_complex>},
    {"swapdims", "x with two dimensions swapped.",
     "(Tensor(a) self, int dim0, int dim1) -> Tensor(a)", bound<&swapaxes>},
    {"repeat_interleave", "Each index as often as the element there says.",
     ".Tensor(Tensor repeats, *, SymInt? output_size=None) -> Tensor", bound<&repeated_places>},
    {"conj_physical_", "The complex conjugate.", "(Tensor(a!) self) -> Tensor(a!)",
     written<&vitro::conj>},
    {"square_", "x * x.", "(Tensor(a!) self) -> Tensor(a!)", written<&vitro::square>},
    {"multiply_", "a * b; logical and for bool.",
     ".Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)\n"
     ".Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)",
     written<&multiply>},
    {"true_divide_", "x / other.",
     ".Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)\n"
     ".Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)",
     written<&div>},
    {"cumsum_", "Cumulative sums along `dim`.",
     "(Tensor(a!) self, int dim, *, ScalarType? dtype=None) -> Tensor(a!)", written<&cumsum>},
    {"cumprod_", "Cumulative products along `dim`.",
     "(Tensor(a!) self, int dim, *, ScalarType? dtype=None) -> Tensor(a!)", written<&cumprod>},
    {"renorm_", "x with the slices along dim scaled so that their p-norms are at most maxnorm.",
     "(Tensor(a!) self, Scalar p, int dim, Scalar maxnorm) -> Tensor(a!)", written<&renorm>},
    {"masked_scatter_", "x with elements of `source`, in order, where the mask is true.",
     "(Tensor(a!) self, Tensor mask, Tensor source) -> Tensor(a!)",
     written<&masked_scatter_within>},
    {"addmm_", "beta * x + alpha * mat1 @ mat2.",
     "(Tensor(a!) self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor(a!)",
     written<&addmm>},
    {"addmv_", "beta * x + alpha * mat @ vec.",
     "(Tensor(a!) self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor(a!)",
     written<&addmv>},
    {"addbmm_", "beta * x + alpha * the sum of the products of batches.",
     "(Tensor(a!) self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> "
     "Tensor(a!)",
     written<&addbmm>},
    {"baddbmm_", "beta * x + alpha * bmm(a, b).",
     "(Tensor(a!) self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> "
     "Tensor(a!)",
     written<&baddbmm>},
    {"norm_except_dim", "The norms of v along all dimensions but dim; of all of v for -1.",
     "(Tensor v, int pow=2, int dim=0) -> Tensor", bound<&norm_except_dim>},
    {"_weight_norm", "v * (g / the norms of v along all dimensions but dim).",
     "(Tensor v, Tensor g, int dim=0) -> Tensor", bound<&weight_norm>},
    {"_trilinear", "The product of three operands with new dimensions, summed over `sumdim`.",
     "(Tensor i1, Tensor i2, Tensor i3, int[] expand1, int[] expand2, int[] expand3, int[] sumdim, "
     "int unroll_dim=1) -> Tensor",
     bound<&trilinear>},
    {"grouped_mm_fallback",
     "Rows of `input` times the matrix of their group; group i ends before row offs[i].",
     "(Tensor input, Tensor weight, Tensor offs) -> Tensor", bound<&grouped_mm>},
};

}  // namespace

std::span<const NamedFunction> exported_functions() {
  return rows;
}

}  // namespace vitro::ops
