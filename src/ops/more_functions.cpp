// The table of functions of layout.h, statistics.h and special.h, of other overloads of functions
// that are elsewhere, and of other names of functions: ATen's schemas and the C++ function of each.
#include <algorithm>
#include <limits>
#include <ranges>

#include "bind.h"
#include "core/numbers.h"
#include "functions.h"
#include "ops/by_formula.h"
#include "ops/memory_format.h"
#include "ops/value.h"
#include "ops/wide.h"
#include "vitro/base/called_as.h"
#include "vitro/ops/binary.h"
#include "vitro/ops/choose.h"
#include "vitro/ops/compaction.h"
#include "vitro/ops/complex.h"
#include "vitro/ops/concat.h"
#include "vitro/ops/create.h"
#include "vitro/ops/derived.h"
#include "vitro/ops/distance.h"
#include "vitro/ops/gather.h"
#include "vitro/ops/layout.h"
#include "vitro/ops/norm.h"
#include "vitro/ops/pool.h"
#include "vitro/ops/rearrange.h"
#include "vitro/ops/reduce.h"
#include "vitro/ops/scatter.h"
#include "vitro/ops/segments.h"
#include "vitro/ops/sort.h"
#include "vitro/ops/special.h"
#include "vitro/ops/statistics.h"
#include "vitro/ops/unary.h"
#include "vitro/ops/view.h"
#include "vitro/ops/window.h"

namespace vitro::ops {
namespace {

// ---- copies of views ----

Tensor matrix_H(At x) {
  const Tensor& t = x.operand.tensor();
  VITRO_CHECK(t.rank() == 0 || t.rank() == 2, "matrix_H: needs a matrix, got sizes ",
              numbers_of(t.sizes()));
  return vitro::conj({mT(x), x.where});
}
Tensor diagonal_of_matrices(At x, int64_t offset, int64_t dim1, int64_t dim2) {
  return diagonal(x, offset, dim1, dim2);
}

// ---- new tensors ----

Tensor new_full(At x, Sizes size, const Scalar& value, std::optional<DType> dtype,
                const Layout& layout, std::optional<Device> device) {
  check_layout("new_full", layout);
  const Tensor& t = x.operand.tensor();
  return full(std::move(size), value, dtype.value_or(t.dtype()), device.value_or(t.device()),
              x.where);
}
Tensor new_zeros(At x, Sizes size, std::optional<DType> dtype, const Layout& layout,
                 std::optional<Device> device) {
  return new_full(x, std::move(size), 0, dtype, layout, device);
}
Tensor new_ones(At x, Sizes size, std::optional<DType> dtype, const Layout& layout,
                std::optional<Device> device) {
  return new_full(x, std::move(size), 1, dtype, layout, device);
}
// Memory without elements is filled with 0.
Tensor empty_of(Sizes size, std::optional<DType> dtype, const Layout& layout,
                std::optional<Device> device, std::source_location from) {
  check_layout("empty", layout);
  return zeros(std::move(size), dtype.value_or(default_float), device, from);
}
Tensor empty_like(At x, std::optional<DType> dtype, const Layout& layout) {
  check_layout("empty_like", layout);
  return zeros_like(x, dtype);
}
Tensor empty_permuted(const Sizes& size, const Dims& physical_layout, std::optional<DType> dtype,
                      const Layout& layout, std::optional<Device> device,
                      std::source_location from) {
  const auto dims = std::views::iota(int64_t{0}, static_cast<int64_t>(size.size()));
  VITRO_CHECK(std::ranges::is_permutation(physical_layout, dims),
              "empty_permuted: the layout needs each of ", size.size(), " dimensions once, got ",
              physical_layout);
  Dims back(size.size(), 0);
  Sizes moved;
  for (const int64_t d : physical_layout) {
    back[static_cast<size_t>(d)] = static_cast<int64_t>(moved.size());
    moved.push_back(size[static_cast<size_t>(d)]);
  }
  return permute({empty_of(moved, dtype, layout, device, from), from}, back);
}

// ---- conversions ----

Tensor to_dtype(At x, DType dtype, bool, bool copy, const std::optional<std::string>& format) {
  const Tensor& t = x.operand.tensor();
  const Tensor out = in_format("to", to(x, dtype), format.value_or("preserve_format"));
  return copy && out.impl() == t.impl() ? clone(x) : out;
}
Tensor to_device(At x, Device device, DType dtype, bool, bool copy,
                 const std::optional<std::string>& format) {
  VITRO_CHECK(device == x.operand.tensor().device(), "to: from ", x.operand.tensor().device(),
              " to ", device, " is not implemented");
  return to_dtype(x, dtype, false, copy, format);
}
Tensor to_layout(At x, std::optional<DType> dtype, const Layout& layout,
                 std::optional<Device> device, std::optional<bool>, bool, bool copy,
                 const std::optional<std::string>& format) {
  check_layout("to", layout);
  const Tensor& t = x.operand.tensor();
  return to_device(x, device.value_or(t.device()), dtype.value_or(t.dtype()), false, copy, format);
}
Tensor to_other(At x, const Tensor& other, bool, bool copy,
                const std::optional<std::string>& format) {
  return to_device(x, other.device(), other.dtype(), false, copy, format);
}

// ---- other overloads ----

Tensor larger(At x, const Tensor& other) {
  return vitro::maximum({x.operand.tensor(), x.where}, other);
}
Tensor smaller(At x, const Tensor& other) {
  return vitro::minimum({x.operand.tensor(), x.where}, other);
}
Tensor narrow_from(At x, int64_t dim, const Tensor& start, Size length) {
  VITRO_CHECK(start.rank() == 0 && is_integer(start.dtype()),
              "narrow: start must be an integer without dimensions, got ", start.dtype(),
              " of sizes ", numbers_of(start.sizes()));
  return narrow(x, dim, start.item<int64_t>(x.where), length);
}
std::vector<Tensor> split_by(At x, const Tensor& indices_or_sections, int64_t dim) {
  const Tensor at = to(indices_or_sections, DType::i64);
  VITRO_CHECK(at.rank() <= 1 && indices_or_sections.dtype() == DType::i64,
              "tensor_split: needs sections or indices of i64, of rank 0 or 1, got ",
              indices_or_sections.dtype(), " of sizes ", numbers_of(at.sizes()));
  if (at.rank() == 0) return tensor_split(x, at.item<int64_t>(x.where), dim);
  Dims indices;
  for (const int64_t i : at.to_vector<int64_t>(x.where)) indices.push_back(i);
  return tensor_split_at(x, indices, dim);
}
std::pair<Tensor, Tensor> std_mean_of(At x, bool unbiased) {
  return std_mean(x, {}, unbiased ? 1 : 0);
}
std::pair<Tensor, Tensor> std_mean_along(At x, Dims dim, bool unbiased, bool keepdim) {
  return std_mean(x, std::move(dim), unbiased ? 1 : 0, keepdim);
}
std::pair<Tensor, Tensor> std_mean_corrected(At x, Dims dim,
                                             const std::optional<Scalar>& correction,
                                             bool keepdim) {
  return std_mean(x, std::move(dim), correction ? correction->as_double() : 1, keepdim);
}
struct SafeSoftmaxAttrs {
  int64_t dim = -1;
  std::optional<DType> dtype;
  static constexpr void each(auto&& f) {
    f("dim", &SafeSoftmaxAttrs::dim);
    f("dtype", &SafeSoftmaxAttrs::dtype);
  }
};
// softmax, but 0 where all elements of a row are -inf.
struct SafeSoftmax : ByFormula {
  static constexpr std::string_view name = "_safe_softmax", signatures = "(Tensor self) -> Tensor";
  static constexpr int arity = 1;
  using Attrs = SafeSoftmaxAttrs;
  static void shape(ShapeCall& call) {
    const TensorMeta& x = *call.operands[0].meta;
    call.results.push_back(
        dense(call.attrs.as<Attrs>().dtype.value_or(x.dtype), x.device, x.sizes));
  }
  static void expand(std::span<const Operand> operands, AttrsView attrs,
                     std::span<Tensor> results) {
    constexpr double least = -std::numeric_limits<double>::infinity();
    const Tensor& x = operands[0].tensor();
    const auto& a = attrs.as<Attrs>();
    const Tensor none = all(x == least, a.dim, true);
    results[0] = ops::where(none, 0, softmax(x, a.dim, a.dtype));
  }
  // That of softmax, in which a row of 0 is 0.
  static void gradient(Formula& f) {
    const Value y = widened(f.result()), product = y * widened(f.gradient());
    f.set(0, product - y * ops::sum(product, {f.attrs<Attrs>().dim}, true));
  }
};
Tensor safe_softmax(At x, int64_t dim, std::optional<DType> dtype) {
  const CalledAs name("_safe_softmax", x.where);
  return by_formula<SafeSoftmax>(x.where, {x.operand}, {dim, dtype});
}

// ---- gradients of softmax ----

// g and the result y of a softmax, in the type of the computation.
struct SoftmaxGradient {
  Value g, y;
  SoftmaxGradient(std::string_view op, const At& grad_output, const Tensor& output, DType dtype) {
    const Tensor& given = grad_output.operand.tensor();
    check_floating(op, given);
    VITRO_CHECK(given.dtype() == output.dtype(), op, ": dtypes of the gradient and the output ",
                "differ: ", given.dtype(), " and ", output.dtype());
    VITRO_CHECK(dtype == output.dtype() || (dtype == DType::f16 && output.dtype() == DType::f32),
                op, ": input_dtype must be that of the output, or f16 for f32, got ", dtype,
                " for ", output.dtype());
    const DType wide = compute_type(output.dtype());
    g = to(given, wide);
    y = to(output, wide);
  }
};
Tensor softmax_backward(At grad_output, const Tensor& output, int64_t dim, DType input_dtype) {
  const SoftmaxGradient s("_softmax_backward_data", grad_output, output, input_dtype);
  const Value weighted = s.g * s.y;
  return to(weighted - s.y * sum(weighted, Dims{dim}, true), input_dtype);
}
Tensor log_softmax_backward(At grad_output, const Tensor& output, int64_t dim, DType input_dtype) {
  const SoftmaxGradient s("_log_softmax_backward_data", grad_output, output, input_dtype);
  return to(s.g - exp(s.y) * sum(s.g, Dims{dim}, true), input_dtype);
}

// ---- masked indices ----

// The indices brought into the range of the dimensions that they index.
std::vector<Tensor> clamped(const Tensor& x, std::span<const Tensor> indices) {
  std::vector<Tensor> out;
  for (size_t d = 0; d < indices.size(); ++d) {
    Tensor one = indices[d];
    VITRO_CHECK(static_cast<int64_t>(d) < x.rank(), "index: too many indices for sizes ",
                numbers_of(x.sizes()));
    if (one.defined()) {
      const Size size = x.size(static_cast<int64_t>(d));
      one = clamp(one, -size, size - 1);
    }
    out.push_back(one);
  }
  return out;
}
Tensor unsafe_masked_index(At x, const Tensor& mask, std::span<const Tensor> indices,
                           const Scalar& fill) {
  const std::vector<Tensor> safe = clamped(x.operand.tensor(), indices);
  return masked_fill(index(x, safe), ~Value(mask), fill);
}
Tensor unsafe_masked_put(At x, const Tensor& mask, std::span<const Tensor> indices,
                         const Tensor& values) {
  const std::vector<Tensor> safe = clamped(x.operand.tensor(), indices);
  return index_put(x, safe, masked_fill(values, ~Value(mask), 0), true);
}

// ---- chunks ----

// Each tensor in so many chunks along dim, the last ones filled up with 0, flat from there on.
Tensor chunk_cat(std::span<const Tensor> tensors, int64_t dim, int64_t num_chunks,
                 std::source_location from) {
  constexpr std::string_view op = "_chunk_cat";
  VITRO_CHECK(!tensors.empty(), op, ": needs a tensor");
  VITRO_CHECK(num_chunks >= 1, op, ": needs a positive number of chunks, got ", num_chunks);
  dim = wrap_dim(op, dim, tensors[0].rank());
  std::vector<Tensor> parts;
  for (const Tensor& t : tensors) {
    VITRO_CHECK(t.dtype() == tensors[0].dtype(), op, ": dtypes differ: ", tensors[0].dtype(),
                " and ", t.dtype());
    VITRO_CHECK(t.rank() > dim && !known_equal(t.numel(), 0), op,
                ": needs tensors with elements and dimension ", dim, ", got sizes ",
                numbers_of(t.sizes()));
    Sizes pad, sizes;
    for (int64_t d = 0; d < dim; ++d) sizes.push_back(t.size(d));
    const Size length = t.size(dim), missing = (num_chunks - length % num_chunks) % num_chunks;
    for (int64_t d = t.rank() - 1; d >= dim; --d) {
      pad.push_back(0);
      pad.push_back(d == dim ? missing : Size(0));
    }
    sizes.push_back(num_chunks);
    sizes.push_back(-1);
    parts.push_back(reshape({constant_pad_nd({t, from}, pad), from}, sizes));
  }
  return cat(parts, dim + 1, from);
}

// ---- sizes in place ----

// Memory belongs to a tensor as long as it lives: only its own sizes are possible.
void check_own_sizes(std::string_view op, const Tensor& x, const Sizes& size) {
  VITRO_CHECK(equal_sizes(x.sizes(), size), op, ": a tensor cannot change its sizes ",
              numbers_of(x.sizes()), " to ", numbers_of(size),
              "; use reshape, narrow or constant_pad_nd, which return another tensor");
}
Tensor resize(At x, const Sizes& size) {
  check_own_sizes("resize_", x.operand.tensor(), size);
  return x.operand.tensor();
}
Tensor resize_as(At x, const Tensor& the_template) {
  check_own_sizes("resize_as_", x.operand.tensor(), the_template.sizes());
  return x.operand.tensor();
}
Tensor segment_reduce_of(At data, std::string_view reduce, const Tensor& lengths,
                         const Tensor& indices, const Tensor& offsets, int64_t axis, bool unsafe,
                         const std::optional<Scalar>& initial) {
  VITRO_CHECK(!indices.defined(), "segment_reduce: indices are not implemented, as in torch; ",
              "needs lengths or offsets");
  return segment_reduce(data, reduce, lengths, offsets, axis, unsafe, initial);
}

// ---- nonzero ----

std::vector<Tensor> nonzero_numpy(At x) {
  const Tensor places =
      nonzero(x.operand.tensor().rank() == 0 ? unsqueeze(x, 0) : x.operand.tensor());
  return unbind(places, 1);
}
// ---- distinct elements ----

Tensor flagged(const Tensor& given, bool wanted) {
  return wanted ? given : zeros({0}, DType::i64, given.device());
}
using Three = std::tuple<Tensor, Tensor, Tensor>;
Three flagged(const Three& all, bool inverse, bool counts) {
  return {std::get<0>(all), flagged(std::get<1>(all), inverse), flagged(std::get<2>(all), counts)};
}
Three unique_of(At x, bool, bool return_inverse, bool return_counts) {
  return flagged(unique(x), return_inverse, return_counts);
}
Three unique_along(At x, int64_t dim, bool, bool, bool) {
  return unique(x, dim);
}
Three unique_runs(At x, bool return_inverse, bool return_counts, std::optional<int64_t> dim) {
  const Three all = unique_consecutive(x, dim);
  const bool slices = dim && (*dim != 0 || x.operand.tensor().rank() != 1);  // as torch
  return slices ? all : flagged(all, return_inverse, return_counts);
}

// ---- histograms, gradients ----

std::vector<double> as_doubles(const std::vector<Scalar>& numbers) {
  std::vector<double> out;
  for (const Scalar& one : numbers) out.push_back(one.as_double());
  return out;
}
std::pair<Tensor, Tensor> histogram_between(At x, const Tensor& bins, const Tensor& weight,
                                            bool density) {
  return histogram(x, bins, weight, density);
}
std::pair<Tensor, Tensor> histogram_of_parts(At x, int64_t bins, const std::vector<Scalar>& range,
                                             const Tensor& weight, bool density) {
  return histogram(x, bins, as_doubles(range), weight, density);
}
std::vector<Tensor> joined(std::pair<Tensor, std::vector<Tensor>> histogram) {
  histogram.second.insert(histogram.second.begin(), std::move(histogram.first));
  return std::move(histogram.second);
}
std::vector<Tensor> histogramdd_of_parts(At x, const Dims& bins, const std::vector<Scalar>& range,
                                         const Tensor& weight, bool density) {
  return joined(histogramdd(x, bins, as_doubles(range), weight, density));
}
std::vector<Tensor> histogramdd_of_number(At x, int64_t bins, const std::vector<Scalar>& range,
                                          const Tensor& weight, bool density) {
  const Tensor& t = x.operand.tensor();
  const Size dims = t.rank() > 0 ? t.size(-1) : Size(0);
  VITRO_CHECK(!less(64, dims), "histogramdd: needs points of at most 64 dimensions, got sizes ",
              numbers_of(t.sizes()));
  return histogramdd_of_parts(x, Dims(static_cast<size_t>(dims.value()), bins), range, weight,
                              density);
}
std::vector<Tensor> histogramdd_between(At x, std::span<const Tensor> bins,
                                        const std::vector<Scalar>&, const Tensor& weight,
                                        bool density) {
  return joined(histogramdd(x, bins, weight, density));
}
// Without a spacing, 1; one for all dimensions, or one for each.
std::vector<Tensor> gradient_by_number(At x, const std::vector<Scalar>& spacing, DimsArg dim,
                                       int64_t edge_order) {
  return gradient(x, spacing, std::move(dim), edge_order);
}
std::vector<Tensor> gradient_along(At x, DimsArg dim, int64_t edge_order) {
  return gradient(x, std::vector<Scalar>(), std::move(dim), edge_order);
}
// Only a number, not a list of one, is for all dimensions.
std::vector<Tensor> gradient_by_numbers(At x, const std::vector<Scalar>& spacing, DimsArg dim,
                                        int64_t edge_order) {
  const size_t dims = dim.empty() ? x.operand.tensor().sizes().size() : dim.size();
  VITRO_CHECK(spacing.size() == dims, "gradient: needs a spacing for each of ", dims,
              " dimensions, got ", spacing.size());
  return gradient(x, spacing, std::move(dim), edge_order);
}
std::vector<Tensor> gradient_by_places(At x, std::span<const Tensor> spacing, DimsArg dim,
                                       int64_t edge_order) {
  return gradient(x, spacing, std::move(dim), edge_order);
}

// ---- lists ----

template <Tensor (*function)(At)>
std::vector<Tensor> each(std::span<const Tensor> tensors, std::source_location from) {
  std::vector<Tensor> out;
  for (const Tensor& one : tensors) out.push_back(function({one, from}));
  return out;
}

Tensor is_real(At x) {
  const Tensor& z = x.operand.tensor();
  return z.is_complex() ? Tensor(Value(imag(x)) == 0) : ones_like(x, DType::boolean);
}
Tensor adjoint(At x) {
  return vitro::conj({mT(x), x.where});
}
Tensor positive(At x) {
  VITRO_CHECK(!is_bool(x.operand.tensor().dtype()), "positive: takes numbers (not bool)");
  return x.operand.tensor();
}
using NormByNumber = Tensor (*)(At, const std::optional<Scalar>&, DimsArg, bool,
                                std::optional<DType>);
using NormByName = Tensor (*)(At, std::string_view, DimsArg, bool, std::optional<DType>);

constexpr NamedFunction rows[] = {
    // layout.h
    {"broadcast_to", "x expanded to the sizes.", "(Tensor(a) self, SymInt[] size) -> Tensor(a)",
     bound<&broadcast_to>},
    {"expand_as", "x expanded to the sizes of `other`.",
     "(Tensor(a) self, Tensor other) -> Tensor(a)", bound<&expand_as>},
    {"view_as", "x viewed with the sizes of `other`.",
     "(Tensor(a) self, Tensor other) -> Tensor(a)", bound<&view_as>},
    {"broadcast_tensors", "The tensors expanded to the sizes to which they broadcast.",
     "(Tensor[] tensors) -> Tensor[]", bound<&broadcast_tensors>},
    {"sum_to_size", "x summed over what broadcasting from the sizes repeats.",
     "(Tensor self, SymInt[] size) -> Tensor", bound<&sum_to_size>},
    {"mT", "x with its last two dimensions exchanged.", "(Tensor(a) self) -> Tensor(a)",
     bound<&mT>},
    {"matrix_H", "A matrix transposed, with the complex conjugates.",
     "(Tensor(a) self) -> Tensor(a)", bound<&matrix_H>},
    {"movedim", "x with dimensions moved to other places.",
     ".intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)\n"
     ".int(Tensor(a) self, int source, int destination) -> Tensor(a)",
     bound<&movedim>},
    {"unflatten", "One dimension of x as several.",
     ".int(Tensor(a) self, int dim, SymInt[] sizes) -> Tensor(a)", bound<&unflatten>},
    {"ravel", "x flat: a view if x is contiguous, else a copy.", "(Tensor(a) self) -> Tensor(a)",
     bound<&ravel>},
    {"atleast_1d", "x with at least one dimension.", "(Tensor self) -> Tensor", bound<&atleast_1d>},
    {"atleast_2d", "x with at least two dimensions.", "(Tensor self) -> Tensor",
     bound<&atleast_2d>},
    {"atleast_3d", "x with at least three dimensions.", "(Tensor self) -> Tensor",
     bound<&atleast_3d>},
    {"atleast_1d", "The tensors with at least one dimension each.",
     ".Sequence(Tensor[] tensors) -> Tensor[]", bound<&each<&atleast_1d>>},
    {"atleast_2d", "The tensors with at least two dimensions each.",
     ".Sequence(Tensor[] tensors) -> Tensor[]", bound<&each<&atleast_2d>>},
    {"atleast_3d", "The tensors with at least three dimensions each.",
     ".Sequence(Tensor[] tensors) -> Tensor[]", bound<&each<&atleast_3d>>},
    {"tile", "x repeated along its last dimensions.", "(Tensor self, SymInt[] dims) -> Tensor",
     bound<&tile>},
    {"hsplit", "So many equal parts along dimension 1, of a vector 0.",
     ".int(Tensor(a -> *) self, int sections) -> Tensor(a)[]", bound<&hsplit>},
    {"hsplit", "Parts along dimension 1, of a vector 0, split before the indices.",
     ".array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]", bound<&hsplit_at>},
    {"vsplit", "So many equal parts along dimension 0.",
     ".int(Tensor(a -> *) self, int sections) -> Tensor(a)[]", bound<&vsplit>},
    {"vsplit", "Parts along dimension 0, split before the indices.",
     ".array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]", bound<&vsplit_at>},
    {"dsplit", "So many equal parts along dimension 2.",
     ".int(Tensor(a -> *) self, int sections) -> Tensor(a)[]", bound<&dsplit>},
    {"dsplit", "Parts along dimension 2, split before the indices.",
     ".array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]", bound<&dsplit_at>},
    {"column_stack", "The tensors, vectors as columns, concatenated along dimension 1.",
     "(Tensor[] tensors) -> Tensor", bound<&column_stack>},
    {"block_diag", "A matrix with the matrices on its diagonal, else 0.",
     "(Tensor[] tensors) -> Tensor", bound<&block_diag>},
    {"diagflat", "A matrix with the elements of x on a diagonal, else 0.",
     "(Tensor self, int offset=0) -> Tensor", bound<&diagflat>},
    {"fft_fftshift",
     "x with the halves of dimensions exchanged, so that the first element comes "
     "to the middle.",
     "(Tensor self, int[1]? dim=None) -> Tensor", bound<&fft_fftshift>},
    {"fft_ifftshift",
     "x with the halves of dimensions exchanged, so that the middle element comes "
     "to the front.",
     "(Tensor self, int[1]? dim=None) -> Tensor", bound<&fft_ifftshift>},
    {"combinations", "The combinations of r elements of a vector, one per row.",
     "(Tensor self, int r=2, bool with_replacement=False) -> Tensor", bound<&combinations>},
    {"linalg_diagonal", "The diagonals of matrices.",
     "(Tensor(a) A, *, int offset=0, int dim1=-2, int dim2=-1) -> Tensor(a)",
     bound<&diagonal_of_matrices>},
    {"split", "Pieces of the given sizes along dim.",
     ".sizes(Tensor(a -> *) self, SymInt[] split_size, int dim=0) -> Tensor(a)[]",
     bound<&split_with_sizes>},
    {"unsafe_chunk", "At most `chunks` pieces of equal size along dim; the last may be smaller.",
     "(Tensor self, int chunks, int dim=0) -> Tensor[]", bound<&chunk>},
    {"unsafe_split", "Pieces of split_size along dim; the last may be smaller.",
     ".Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]", bound<&split>},
    {"unsafe_split_with_sizes", "Pieces of the given sizes along dim.",
     "(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]", bound<&split_with_sizes>},
    {"lift_fresh", "x itself.", "(Tensor(a) self) -> Tensor(a)", bound<&alias>},
    {"resolve_conj", "x itself.", "(Tensor(a) self) -> Tensor(a)", bound<&alias>},
    {"resolve_neg", "x itself.", "(Tensor(a) self) -> Tensor(a)", bound<&alias>},
    {"mH", "Matrices transposed, with the complex conjugates.", "(Tensor(a) self) -> Tensor(a)",
     bound<&adjoint>},
    {"adjoint", "Matrices transposed, with the complex conjugates.",
     "(Tensor(a) self) -> Tensor(a)", bound<&adjoint>},
    {"positive", "x itself.", "(Tensor(a) self) -> Tensor(a)", bound<&positive>},
    {"isreal", "Whether each element is a real number.", "(Tensor self) -> Tensor",
     bound<&is_real>},
    {"alias_copy", "A copy of x.", "(Tensor self) -> Tensor", copied<&alias>},
    {"view_copy", "A copy of a view.", "(Tensor self, SymInt[] size) -> Tensor",
     copied<static_cast<Tensor (*)(At, SizesArg)>(&vitro::view)>},
    {"expand_copy", "A copy of x expanded to the sizes.",
     "(Tensor self, SymInt[] size, *, bool implicit=False) -> Tensor", copied<&expand>},
    {"permute_copy", "A copy of x with its dimensions in another order.",
     "(Tensor self, int[] dims) -> Tensor", copied<&permute>},
    {"transpose_copy", "A copy of x with two dimensions swapped.",
     ".int(Tensor self, int dim0, int dim1) -> Tensor", copied<&transpose>},
    {"t_copy", "A copy of a matrix transposed.", "(Tensor self) -> Tensor", copied<&t>},
    {"squeeze_copy", "A copy of x without the given dimensions that have size 1.",
     "(Tensor self) -> Tensor\n"
     ".dim(Tensor self, int dim) -> Tensor\n"
     ".dims(Tensor self, int[] dim) -> Tensor",
     copied<Squeeze::function>},
    {"as_strided_copy", "A copy of elements at any strides.",
     "(Tensor self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor",
     copied<&as_strided>},
    {"unsqueeze_copy", "A copy of x with a new dimension of size 1.",
     "(Tensor self, int dim) -> Tensor", copied<&unsqueeze>},
    {"diagonal_copy", "A copy of a diagonal.",
     "(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor", copied<&diagonal>},
    {"narrow_copy", "A copy of `length` elements along dim, beginning at start.",
     "(Tensor self, int dim, SymInt start, SymInt length) -> Tensor", copied<&narrow>},
    {"unfold_copy", "A copy of all slices of `size` elements along a dimension, `step` apart.",
     "(Tensor self, int dimension, int size, int step) -> Tensor", copied<&unfold>},
    {"unbind_copy", "Copies of the slices along dim, which is removed.",
     ".int(Tensor self, int dim=0) -> Tensor[]", copied<&unbind>},
    {"split_with_sizes_copy", "Copies of pieces of the given sizes along dim.",
     "(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]", copied<&split_with_sizes>},

    // new tensors
    {"new_full", "A new tensor of x's dtype filled with a number.",
     "(Tensor self, SymInt[] size, Scalar fill_value, " VITRO_OPTIONS ") -> Tensor",
     bound<&new_full>},
    {"new_zeros", "A new tensor of x's dtype of zeros.",
     "(Tensor self, SymInt[] size, " VITRO_OPTIONS ") -> Tensor", bound<&new_zeros>},
    {"new_ones", "A new tensor of x's dtype of ones.",
     "(Tensor self, SymInt[] size, " VITRO_OPTIONS ") -> Tensor", bound<&new_ones>},
    {"empty_like", "A new tensor of x's shape; its elements are 0.",
     "(Tensor self, " VITRO_OPTIONS ", MemoryFormat? memory_format=None) -> Tensor",
     bound<&empty_like>},
    {"empty_permuted",
     "A new tensor, dense in another order of its dimensions; its elements are 0.",
     "(SymInt[] size, int[] physical_layout, " VITRO_OPTIONS ") -> Tensor", bound<&empty_permuted>},

    // other overloads
    {"to", "x itself if it has the dtype, else a converted copy.",
     ".dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, "
     "MemoryFormat? memory_format=None) -> Tensor(a)",
     bound<&to_dtype>},
    {"to", "x itself if it has the dtype, else a converted copy.",
     ".device(Tensor(a) self, Device device, ScalarType dtype, bool non_blocking=False, bool "
     "copy=False, MemoryFormat? memory_format=None) -> Tensor(a)",
     bound<&to_device>},
    {"to", "x itself if it has the dtype, else a converted copy.",
     ".dtype_layout(Tensor(a) self, " VITRO_OPTIONS
     ", bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)",
     bound<&to_layout>},
    {"to", "x itself if it has the dtype of `other`, else a converted copy.",
     ".other(Tensor(a) self, Tensor other, bool non_blocking=False, bool copy=False, MemoryFormat? "
     "memory_format=None) -> Tensor(a)",
     bound<&to_other>},
    {"max", "The largest element; NaN if there is one.", "(Tensor self) -> Tensor",
     bound<&vitro::amax>},
    {"min", "The smallest element; NaN if there is one.", "(Tensor self) -> Tensor",
     bound<&vitro::amin>},
    {"max", "The larger of both; NaN if either is.", ".other(Tensor self, Tensor other) -> Tensor",
     bound<&larger>},
    {"min", "The smaller of both; NaN if either is.", ".other(Tensor self, Tensor other) -> Tensor",
     bound<&smaller>},
    {"round", "x rounded to a number of decimals.",
     ".decimals(Tensor self, *, int decimals) -> Tensor", bound<&round_decimals>},
    {"narrow", "`length` elements along dim, beginning at start.",
     ".Tensor(Tensor(a) self, int dim, Tensor start, SymInt length) -> Tensor(a)",
     bound<&narrow_from>},
    {"tensor_split", "So many pieces along dim, or pieces split before the indices.",
     ".tensor_indices_or_sections(Tensor(a -> *) self, Tensor tensor_indices_or_sections, int "
     "dim=0) -> Tensor(a)[]",
     bound<&split_by>},
    {"std_mean", "The root of the variance, and the mean.",
     "(Tensor self, bool unbiased=True) -> (Tensor, Tensor)", bound<&std_mean_of>},
    {"std_mean", "The root of the variance, and the mean.",
     ".dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)",
     bound<&std_mean_along>},
    {"std_mean", "The root of the variance (over count - correction), and the mean.",
     ".correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) "
     "-> (Tensor, Tensor)",
     bound<&std_mean_corrected>},
    {"trapz", "The integral of y by the trapezoidal rule.",
     ".x(Tensor y, Tensor x, *, int dim=-1) -> Tensor",
     bound<static_cast<Tensor (*)(At, const Tensor&, int64_t)>(&trapezoid)>},
    {"trapz", "The integral of y by the trapezoidal rule.",
     ".dx(Tensor y, *, float dx=1., int dim=-1) -> Tensor",
     bound<static_cast<Tensor (*)(At, const Scalar&, int64_t)>(&trapezoid)>},

    // statistics.h
    {"quantile", "The elements below which a part q of each row along dim lies.",
     "(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation=\"linear\") "
     "-> Tensor\n"
     ".scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *, str "
     "interpolation=\"linear\") -> Tensor",
     bound<&quantile>},
    {"nanquantile", "The elements below which a part q of each row along dim lies, ignoring NaNs.",
     "(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation=\"linear\") "
     "-> Tensor\n"
     ".scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *, str "
     "interpolation=\"linear\") -> Tensor",
     bound<&nanquantile>},
    {"nanmean", "The mean over `dim` of the elements that are not NaN.",
     "(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
     bound<&nanmean>},
    {"cov", "The covariances of the rows of x.",
     "(Tensor self, *, int correction=1, Tensor? fweights=None, Tensor? aweights=None) -> Tensor",
     bound<&cov>},
    {"corrcoef", "The correlation coefficients of the rows of x.", "(Tensor self) -> Tensor",
     bound<&corrcoef>},
    {"bincount", "The number of times that each integer from 0 on occurs.",
     "(Tensor self, Tensor? weights=None, SymInt minlength=0) -> Tensor", bound<&bincount>},
    {"histogram", "The number of elements between neighbouring edges, and the edges.",
     ".bins_tensor(Tensor self, Tensor bins, *, Tensor? weight=None, bool density=False) -> "
     "(Tensor hist, Tensor bin_edges)",
     bound<&histogram_between>},
    {"histogram", "The number of elements in equal parts of a range, and the edges.",
     ".bin_ct(Tensor self, int bins=100, *, float[]? range=None, Tensor? weight=None, bool "
     "density=False) -> (Tensor hist, Tensor bin_edges)",
     bound<&histogram_of_parts>},
    {"histogramdd", "The number of points in equal parts of a range of each dimension, and edges.",
     "(Tensor self, int[] bins, float[]? range=None, Tensor? weight=None, bool density=False) -> "
     "(Tensor hist, Tensor[] bin_edges)",
     bound<&histogramdd_of_parts>},
    {"histogramdd", "The number of points in equal parts of a range of each dimension, and edges.",
     ".int_bins(Tensor self, int bins, float[]? range=None, Tensor? weight=None, bool "
     "density=False) -> (Tensor hist, Tensor[] bin_edges)",
     bound<&histogramdd_of_number>},
    {"histogramdd", "The number of points between neighbouring edges of each dimension, and edges.",
     ".TensorList_bins(Tensor self, Tensor[] bins, float[]? range=None, Tensor? weight=None, bool "
     "density=False) -> (Tensor hist, Tensor[] bin_edges)",
     bound<&histogramdd_between>},
    {"_unique2", "The distinct elements, ascending; the place of each; how often it occurs.",
     "(Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> "
     "(Tensor, Tensor, Tensor)",
     bound<&unique_of>},
    {"unique_dim",
     "The distinct slices along dim, in lexicographic order; the place of each; how "
     "often it occurs.",
     "(Tensor self, int dim, bool sorted=True, bool return_inverse=False, bool "
     "return_counts=False) -> (Tensor, Tensor, Tensor)",
     bound<&unique_along>},
    {"unique_consecutive",
     "One of each run of equal elements, or slices along dim; the place of "
     "each; how often it occurs.",
     "(Tensor self, bool return_inverse=False, bool return_counts=False, int? dim=None) -> "
     "(Tensor, Tensor, Tensor)",
     bound<&unique_runs>},
    {"nonzero_numpy", "The indices of the elements that are not 0, for each dimension.",
     "(Tensor self) -> Tensor[]", bound<&nonzero_numpy>},
    {"nonzero_static", "The indices of the first elements that are not 0, in `size` rows.",
     "(Tensor self, *, SymInt size, int fill_value=-1) -> Tensor", bound<&nonzero_static>},
    {"gradient", "Derivatives along the dimensions, estimated from neighbours.",
     ".scalarint(Tensor self, *, Scalar? spacing=None, int? dim=None, int edge_order=1) -> "
     "Tensor[]\n"
     ".scalararray(Tensor self, *, Scalar spacing, int[] dim, int edge_order=1) -> Tensor[]",
     bound<&gradient_by_number>},
    {"gradient", "Derivatives along the dimensions, estimated from neighbours.",
     ".array(Tensor self, *, int[] dim, int edge_order=1) -> Tensor[]", bound<&gradient_along>},
    {"gradient", "Derivatives along the dimensions, estimated from neighbours.",
     ".scalarrayint(Tensor self, *, Scalar[] spacing, int? dim=None, int edge_order=1) -> "
     "Tensor[]\n"
     ".scalarrayarray(Tensor self, *, Scalar[] spacing, int[] dim, int edge_order=1) -> Tensor[]",
     bound<&gradient_by_numbers>},
    {"gradient", "Derivatives along the dimensions, estimated from neighbours.",
     ".tensorarrayint(Tensor self, *, Tensor[] spacing, int? dim=None, int edge_order=1) -> "
     "Tensor[]\n"
     ".tensorarray(Tensor self, *, Tensor[] spacing, int[] dim, int edge_order=1) -> Tensor[]",
     bound<&gradient_by_places>},

    // special.h
    {"logaddexp", "log(e^x + e^other).", "(Tensor self, Tensor other) -> Tensor",
     bound<&logaddexp>},
    {"logaddexp2", "log2(2^x + 2^other).", "(Tensor self, Tensor other) -> Tensor",
     bound<&logaddexp2>},
    {"fmax", "The larger of both; NaN if both are.", "(Tensor self, Tensor other) -> Tensor",
     bound<&fmax>},
    {"fmin", "The smaller of both; NaN if both are.", "(Tensor self, Tensor other) -> Tensor",
     bound<&fmin>},
    {"frac", "x - trunc(x).", "(Tensor self) -> Tensor", bound<&frac>},
    {"frac_", "x - trunc(x).", "(Tensor(a!) self) -> Tensor(a!)", written<&frac>},
    {"deg2rad", "Degrees as radians.", "(Tensor self) -> Tensor", bound<&deg2rad>},
    {"deg2rad_", "Degrees as radians.", "(Tensor(a!) self) -> Tensor(a!)", written<&deg2rad>},
    {"rad2deg", "Radians as degrees.", "(Tensor self) -> Tensor", bound<&rad2deg>},
    {"rad2deg_", "Radians as degrees.", "(Tensor(a!) self) -> Tensor(a!)", written<&rad2deg>},
    {"signbit", "Whether x is negative, -0 included.", "(Tensor self) -> Tensor", bound<&signbit>},
    {"angle", "Pi below 0, else 0.", "(Tensor self) -> Tensor", bound<&angle>},
    {"rsub", "other - alpha * x.",
     ".Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor\n"
     ".Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
     bound<&rsub>},
    {"frexp", "The mantissa, at least 0.5 and below 1, and the exponent of 2.",
     ".Tensor(Tensor self) -> (Tensor mantissa, Tensor exponent)", bound<&frexp>},
    {"lgamma", "The logarithm of |gamma(x)|.", "(Tensor self) -> Tensor", bound<&lgamma>},
    {"digamma", "The derivative of lgamma.", "(Tensor self) -> Tensor", bound<&digamma>},
    {"erfinv", "The inverse of erf.", "(Tensor self) -> Tensor", bound<&erfinv>},
    {"dist", "The p-norm of x - other.", "(Tensor self, Tensor other, Scalar p=2) -> Tensor",
     bound<&dist>},
    {"renorm", "x with the slices along dim scaled so that their p-norms are at most maxnorm.",
     "(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor", bound<&renorm>},
    {"embedding_renorm", "The weight with the rows at the indices scaled as by renorm.",
     "(Tensor self, Tensor indices, float max_norm, float norm_type) -> Tensor",
     bound<&embedding_renorm>},
    {"embedding_renorm_", "The weight with the rows at the indices scaled as by renorm.",
     "(Tensor(a!) self, Tensor indices, float max_norm, float norm_type) -> Tensor(a!)",
     written<&embedding_renorm>},
    {"true_divide", "x / other; integers are divided as floating-point numbers.",
     ".Tensor(Tensor self, Tensor other) -> Tensor\n"
     ".Scalar(Tensor self, Scalar other) -> Tensor",
     bound<&div>},
    {"_safe_softmax", "softmax, but 0 for rows of -inf.",
     "(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", bound<&safe_softmax>},
    {"_softmax_backward_data", "The gradient of x of y = softmax(x), from y and its gradient.",
     "(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor",
     bound<&softmax_backward>},
    {"_log_softmax_backward_data",
     "The gradient of x of y = log_softmax(x), from y and its gradient.",
     "(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor",
     bound<&log_softmax_backward>},
    {"_unsafe_masked_index", "index with indices brought into range; fill where not mask.",
     "(Tensor self, Tensor mask, Tensor?[] indices, Scalar fill) -> Tensor",
     bound<&unsafe_masked_index>},
    {"_unsafe_masked_index_put_accumulate",
     "x with values added at the indices, which are brought into range, where mask.",
     "(Tensor self, Tensor mask, Tensor?[] indices, Tensor values) -> Tensor",
     bound<&unsafe_masked_put>},
    {"_chunk_cat", "The tensors in equal chunks, filled up with 0, concatenated after dim.",
     "(Tensor[] tensors, int dim, int num_chunks) -> Tensor", bound<&chunk_cat>},
    {"segment_reduce", "The sum, mean, max, min or product of each segment along axis.",
     "(Tensor data, str reduce, *, Tensor? lengths=None, Tensor? indices=None, Tensor? "
     "offsets=None, int axis=0, bool unsafe=False, Scalar? initial=None) -> Tensor",
     bound<&segment_reduce_of>},
    {"detach_", "x as a constant from here on: the gradient of what it was before is 0.",
     "(Tensor(a!) self) -> Tensor(a!)", written<&detach>},
    {"resize_", "x itself, which must have the sizes.",
     "(Tensor(a!) self, SymInt[] size, *, MemoryFormat? memory_format=None) -> Tensor(a!)",
     bound<&resize>},
    {"resize_as_", "x itself, which must have the sizes of the_template.",
     "(Tensor(a!) self, Tensor the_template, *, MemoryFormat? memory_format=None) -> Tensor(a!)",
     bound<&resize_as>},
    {"linalg_norm",
     "The norm of matrices if `ord` is given and there are two dimensions, else of vectors.",
     "(Tensor self, Scalar? ord=None, int[1]? dim=None, bool keepdim=False, *, ScalarType? "
     "dtype=None) -> Tensor",
     bound<static_cast<NormByNumber>(&linalg_norm)>},
    {"linalg_norm", "The norm of matrices.",
     ".ord_str(Tensor self, str ord, int[1]? dim=None, bool keepdim=False, *, ScalarType? "
     "dtype=None) -> Tensor",
     bound<static_cast<NormByName>(&linalg_norm)>},
    {"fractional_max_pool2d", "The largest elements under kernels at random places; their indices.",
     "(Tensor self, int[2] kernel_size, int[2] output_size, Tensor random_samples) -> (Tensor, "
     "Tensor)",
     bound<&fractional_max_pool2d>},
    {"fractional_max_pool3d", "The largest elements under kernels at random places; their indices.",
     "(Tensor self, int[3] kernel_size, int[3] output_size, Tensor random_samples) -> (Tensor, "
     "Tensor)",
     bound<&fractional_max_pool3d>},
    {"max_unpool3d", "Volumes of 0 with the elements of x at their indices.",
     "(Tensor self, Tensor indices, SymInt[3] output_size, int[3] stride, int[3] padding) -> "
     "Tensor",
     bound<&max_unpool3d>},
    {"linalg_vecdot", "The sum of x * y along dim.",
     "(Tensor x, Tensor y, *, int dim=-1) -> Tensor", bound<&linalg_vecdot>},
    {"addmv", "beta * x + alpha * mat @ vec.",
     "(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
     bound<&addmv>},
    {"addbmm", "beta * x + alpha * the sum of the products of batches.",
     "(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
     bound<&addbmm>},
    {"bilinear", "input1 * weight[k] * input2, summed, for each k; plus bias.",
     "(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None) -> Tensor",
     bound<&bilinear>},
    {"linalg_matrix_power", "Square matrices to the power of n.", "(Tensor self, int n) -> Tensor",
     bound<&linalg_matrix_power>},
};

constexpr OtherName names[] = {
    {"_conj", "conj"},
    {"absolute", "abs"},
    {"arccos", "acos"},
    {"arccosh", "acosh"},
    {"arcsin", "asin"},
    {"arcsinh", "asinh"},
    {"arctan", "atan"},
    {"arctan2", "atan2"},
    {"arctanh", "atanh"},
    {"argwhere", "nonzero"},
    {"clip", "clamp"},
    {"concat", "cat"},
    {"concatenate", "cat"},
    {"divide", "div"},
    {"fix", "trunc"},
    {"greater", "gt"},
    {"greater_equal", "ge"},
    {"less", "lt"},
    {"less_equal", "le"},
    {"linalg_matmul", "matmul"},
    {"matrix_exp", "linalg_matrix_exp"},
    {"matrix_power", "linalg_matrix_power"},
    {"moveaxis", "movedim"},
    {"native_channel_shuffle", "channel_shuffle"},
    {"negative", "neg"},
    {"not_equal", "ne"},
    {"row_stack", "vstack"},
    {"special_digamma", "digamma"},
    {"special_erf", "erf"},
    {"special_erfc", "erfc"},
    {"special_erfinv", "erfinv"},
    {"special_exp2", "exp2"},
    {"special_expit", "sigmoid"},
    {"special_expm1", "expm1"},
    {"special_gammainc", "igamma"},
    {"special_gammaincc", "igammac"},
    {"special_gammaln", "lgamma"},
    {"special_i0", "i0"},
    {"special_log1p", "log1p"},
    {"special_logit", "logit"},
    {"special_logsumexp", "logsumexp"},
    {"special_modified_bessel_i0", "i0"},
    {"special_modified_bessel_i1", "special_i1"},
    {"special_multigammaln", "mvlgamma"},
    {"special_polygamma", "polygamma"},
    {"special_psi", "digamma"},
    {"special_sinc", "sinc"},
    {"subtract", "sub"},
};

}  // namespace

std::span<const NamedFunction> more_functions() {
  return rows;
}
std::span<const OtherName> other_names() {
  return names;
}

}  // namespace vitro::ops
