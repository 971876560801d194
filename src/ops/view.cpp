// Shape rules and index maps of views: shape() computes sizes, strides and offset, map() the
// operand's index for each element of the result.
#include "vitro/ops/view.h"

#include <algorithm>

#include "core/numbers.h"
#include "vitro/base/called_as.h"
#include "vitro/base/counted.h"
#include "vitro/base/error.h"
#include "vitro/ops/create.h"
#include "vitro/ops/derived.h"

namespace vitro::ops {
namespace {

size_t dim_of(std::string_view op, int64_t dim, int rank) {
  return static_cast<size_t>(wrap_dim(op, dim, rank));
}

void needs_dimensions(const ShapeCall& call) {
  VITRO_CHECK(call.operands[0].meta->rank() > 0, call.op, ": needs a tensor with dimensions");
}

TensorMeta start_of(const TensorMeta& in) {
  return {in.dtype, in.device, {}, {}, in.offset};
}

// The bounds of a slice by Python's rule, within [0, size].
Size clamped(Size at, Size size) {
  if (less(at, 0)) at = at + size;
  if (less(at, 0)) return 0;
  return less(size, at) ? size : at;
}

Size slice_end(const SliceAttrs& a, Size size) {
  return !a.end.is_symbolic() && a.end.hint() == INT64_MAX ? size : clamped(a.end, size);
}

// No dimension is longer than this step, so it selects only the first element, as larger ones do.
int64_t slice_step(const SliceAttrs& a) {
  return std::min(a.step, int64_t{1} << 40);
}

// If the product overflows 64 bits the slice has at most one element, so any stride will do.
Size slice_stride(Size stride, int64_t step) {
  int64_t product = 0;
  const bool fits = stride.is_symbolic() || !__builtin_mul_overflow(stride.hint(), step, &product);
  return fits ? stride * step : stride;
}

Size wrapped_index(const SelectAttrs& a, Size size) {
  return less(a.index, 0) ? a.index + size : a.index;
}

}  // namespace

void Permute::shape(ShapeCall& call) {
  const TensorMeta& in = *call.operands[0].meta;
  const Dims& dims = call.attrs.as<Attrs>().dims;
  VITRO_CHECK(static_cast<int>(dims.size()) == in.rank(), "permute: got ",
              counted(dims.size(), "dim"), " for a tensor of rank ", in.rank());
  if (!dims.empty()) (void)wrap_dims(call.op, dims, in.rank());
  TensorMeta result = start_of(in);
  for (const int64_t d : dims) {
    const size_t from = dim_of(call.op, d, in.rank());
    result.sizes.push_back(in.sizes[from]);
    result.strides.push_back(in.strides[from]);
  }
  call.results.push_back(std::move(result));
}

IndexList Permute::map(const TensorMeta& operand, const TensorMeta&, AttrsView attrs,
                       std::span<const sym::Expr> index) {
  const Dims& dims = attrs.as<Attrs>().dims;
  IndexList out(dims.size());
  for (size_t r = 0; r < dims.size(); ++r) out[dim_of(name, dims[r], operand.rank())] = index[r];
  return out;
}

void Expand::shape(ShapeCall& call) {
  const TensorMeta& in = *call.operands[0].meta;
  const Sizes& wanted = call.attrs.as<Attrs>().size;
  VITRO_CHECK(wanted.size() >= in.sizes.size(), "expand: got ", counted(wanted.size(), "size"),
              " for a tensor of rank ", in.rank());
  const size_t missing = wanted.size() - in.sizes.size();
  TensorMeta result = start_of(in);
  for (size_t d = 0; d < wanted.size(); ++d) {
    const bool keeps = equal(wanted[d], -1);
    VITRO_CHECK(!keeps || d >= missing, "expand: -1 keeps a size, but dimension ", d,
                " is new; got ", wanted, " for sizes ", in.sizes);
    const Size had = d < missing ? Size(1) : in.sizes[d - missing];
    const bool same = keeps || equal(had, wanted[d]);
    VITRO_CHECK(same || equal(had, 1), "expand: sizes ", in.sizes, " do not expand to ", wanted,
                ": dimension ", d, " has size ", had, ", only 1 can be repeated");
    VITRO_CHECK(keeps || !less(wanted[d], 0), "expand: sizes must not be negative, got ", wanted);
    result.sizes.push_back(same ? had : wanted[d]);
    result.strides.push_back(same && d >= missing ? in.strides[d - missing] : Size(0));
  }
  call.results.push_back(std::move(result));
}

IndexList Expand::map(const TensorMeta& operand, const TensorMeta& result, AttrsView,
                      std::span<const sym::Expr> index) {
  IndexList out;
  const size_t missing = result.sizes.size() - operand.sizes.size();
  for (size_t d = 0; d < operand.sizes.size(); ++d) {
    const Size had = operand.sizes[d];
    const bool kept = had.is_symbolic() && identical(had, result.sizes[missing + d]);
    out.push_back(!kept && equal(had, 1) ? sym::Expr(0) : index[missing + d]);
  }
  return out;
}

ViewBack Permute::back(const TensorMeta& operand, const TensorMeta&, AttrsView attrs) {
  const Dims& dims = attrs.as<Attrs>().dims;
  PermuteAttrs inverse{Dims(dims.size())};
  for (size_t r = 0; r < dims.size(); ++r)
    inverse.dims[static_cast<size_t>(wrap_dim(name, dims[r], operand.rank()))] =
        static_cast<int64_t>(r);
  return {&def<Permute>(), vitro::Attrs(attrs_view<Permute>(inverse))};
}

void Slice::shape(ShapeCall& call) {
  const TensorMeta& in = *call.operands[0].meta;
  const auto& a = call.attrs.as<Attrs>();
  needs_dimensions(call);
  VITRO_CHECK(a.step > 0, "slice: step must be positive, got ", a.step);
  const size_t dim = dim_of(call.op, a.dim, in.rank());
  const Size size = in.sizes[dim], start = clamped(a.start, size), end = slice_end(a, size);
  const int64_t step = slice_step(a);
  TensorMeta result = in;
  result.sizes[dim] = less(start, end) ? (end - start + (step - 1)) / step : Size(0);
  result.strides[dim] = slice_stride(in.strides[dim], step);
  result.offset = in.offset + start * in.strides[dim];
  call.results.push_back(std::move(result));
}

IndexList Slice::map(const TensorMeta& operand, const TensorMeta&, AttrsView attrs,
                     std::span<const sym::Expr> index) {
  const auto& a = attrs.as<Attrs>();
  IndexList out{index};
  const size_t dim = dim_of(name, a.dim, operand.rank());
  const Size size = operand.sizes[dim];
  out[dim] = index[dim] * slice_step(a) + clamped(a.start, size).expr();
  return out;
}

void Select::shape(ShapeCall& call) {
  const TensorMeta& in = *call.operands[0].meta;
  const auto& a = call.attrs.as<Attrs>();
  needs_dimensions(call);
  const size_t dim = dim_of(call.op, a.dim, in.rank());
  const Size size = in.sizes[dim], at = wrapped_index(a, size);
  VITRO_CHECK(!less(at, 0) && less(at, size), "select: index ", a.index,
              " is out of range for dimension ", dim, " of size ", size);
  TensorMeta result = in;
  result.sizes.erase(dim);
  result.strides.erase(dim);
  result.offset = in.offset + at * in.strides[dim];
  call.results.push_back(std::move(result));
}

IndexList Select::map(const TensorMeta& operand, const TensorMeta&, AttrsView attrs,
                      std::span<const sym::Expr> index) {
  const auto& a = attrs.as<Attrs>();
  IndexList out{index};
  const size_t dim = dim_of(name, a.dim, operand.rank());
  out.insert(dim, wrapped_index(a, operand.sizes[dim]).expr());
  return out;
}

namespace {

// The dimensions that squeeze removes.
SmallVector<bool, 6> squeezed(const SqueezeAttrs& a, const TensorMeta& in) {
  const Dims dims = wrap_dims(Squeeze::name, a.dim, in.rank());
  SmallVector<bool, 6> gone(in.sizes.size(), false);
  for (const int64_t d : dims)
    gone[static_cast<size_t>(d)] = equal(in.sizes[static_cast<size_t>(d)], 1);
  return gone;
}

}  // namespace

void Squeeze::shape(ShapeCall& call) {
  const TensorMeta& in = *call.operands[0].meta;
  const auto gone = squeezed(call.attrs.as<Attrs>(), in);
  TensorMeta result = start_of(in);
  for (size_t d = 0; d < in.sizes.size(); ++d) {
    if (gone[d]) continue;
    result.sizes.push_back(in.sizes[d]);
    result.strides.push_back(in.strides[d]);
  }
  call.results.push_back(std::move(result));
}

IndexList Squeeze::map(const TensorMeta& operand, const TensorMeta&, AttrsView attrs,
                       std::span<const sym::Expr> index) {
  IndexList out;
  size_t next = 0;
  for (const bool gone : squeezed(attrs.as<Attrs>(), operand))
    out.push_back(gone ? sym::Expr(0) : index[next++]);
  return out;
}

void Unsqueeze::shape(ShapeCall& call) {
  const TensorMeta& in = *call.operands[0].meta;
  const size_t dim = dim_of(call.op, call.attrs.as<Attrs>().dim, in.rank() + 1);
  TensorMeta result = in;
  const Size stride = dim < in.sizes.size() ? in.sizes[dim] * in.strides[dim] : Size(1);
  result.sizes.insert(dim, 1);
  result.strides.insert(dim, stride);
  call.results.push_back(std::move(result));
}

IndexList Unsqueeze::map(const TensorMeta& operand, const TensorMeta&, AttrsView attrs,
                         std::span<const sym::Expr> index) {
  IndexList out{index};
  out.erase(dim_of(name, attrs.as<Attrs>().dim, operand.rank() + 1));
  return out;
}

void Detach::shape(ShapeCall& call) {
  call.results.push_back(*call.operands[0].meta);
}

IndexList Detach::map(const TensorMeta&, const TensorMeta&, AttrsView,
                      std::span<const sym::Expr> index) {
  return IndexList{index};
}

ViewBack Detach::back(const TensorMeta&, const TensorMeta&, AttrsView) {
  return {&def<Detach>(), {}};
}

ViewBack View::back(const TensorMeta& operand, const TensorMeta&, AttrsView) {
  const ViewAttrs inverse{operand.sizes};
  return {&def<View>(), vitro::Attrs(attrs_view<View>(inverse))};
}

// None if elements are repeated or left out.
ViewBack Expand::back(const TensorMeta& operand, const TensorMeta& result, AttrsView attrs) {
  const size_t missing = result.sizes.size() - operand.sizes.size();
  for (size_t d = 0; d < result.sizes.size(); ++d) {
    const Size had = d < missing ? Size(1) : operand.sizes[d - missing];
    if (!equal(had, result.sizes[d])) return {};
  }
  return View::back(operand, result, attrs);
}

ViewBack Squeeze::back(const TensorMeta& operand, const TensorMeta& result, AttrsView attrs) {
  return View::back(operand, result, attrs);
}

ViewBack Unsqueeze::back(const TensorMeta& operand, const TensorMeta&, AttrsView attrs) {
  const SqueezeAttrs inverse{
      {wrap_dim(name, attrs.as<Attrs>().dim, static_cast<int64_t>(operand.rank()) + 1)}};
  return {&def<Squeeze>(), vitro::Attrs(attrs_view<Squeeze>(inverse))};
}

namespace {

// The offset of the diagonal, clamped: every diagonal outside is as empty as the first one outside.
int64_t diagonal_offset(const DiagonalAttrs& a, Size rows, Size columns) {
  if (rows.is_symbolic() || columns.is_symbolic()) return a.offset;
  return std::clamp(a.offset, -rows.value(), columns.value());
}

}  // namespace

void Diagonal::shape(ShapeCall& call) {
  const TensorMeta& in = *call.operands[0].meta;
  const auto& a = call.attrs.as<Attrs>();
  needs_dimensions(call);
  const size_t first = dim_of(call.op, a.dim1, in.rank()),
               second = dim_of(call.op, a.dim2, in.rank());
  VITRO_CHECK(first != second, "diagonal: dim1 and dim2 are both ", first);
  const int64_t offset = diagonal_offset(a, in.sizes[first], in.sizes[second]);
  const Size rows = in.sizes[first] + std::min<int64_t>(offset, 0);
  const Size columns = in.sizes[second] - std::max<int64_t>(offset, 0);
  Size length = less(rows, columns) ? rows : columns;
  if (less(length, 0)) length = 0;
  TensorMeta result = in;
  if (!equal(length, 0)) {
    result.offset =
        in.offset + (offset < 0 ? in.strides[first] * -offset : in.strides[second] * offset);
  }
  for (const size_t d : {std::max(first, second), std::min(first, second)}) {
    result.sizes.erase(d);
    result.strides.erase(d);
  }
  result.sizes.push_back(length);
  result.strides.push_back(in.strides[first] + in.strides[second]);
  call.results.push_back(std::move(result));
}

IndexList Diagonal::map(const TensorMeta& operand, const TensorMeta&, AttrsView attrs,
                        std::span<const sym::Expr> index) {
  const auto& a = attrs.as<Attrs>();
  const size_t first = dim_of(name, a.dim1, operand.rank()),
               second = dim_of(name, a.dim2, operand.rank());
  const int64_t offset = diagonal_offset(a, operand.sizes[first], operand.sizes[second]);
  IndexList out;
  size_t next = 0;
  for (size_t d = 0; d < operand.sizes.size(); ++d) {
    if (d == first) {
      out.push_back(index.back() + std::max<int64_t>(-offset, 0));
    } else if (d == second) {
      out.push_back(index.back() + std::max<int64_t>(offset, 0));
    } else {
      out.push_back(index[next++]);
    }
  }
  return out;
}

namespace {

// The position of the last element of a nonempty window.
Size last_element(const AsStridedAttrs& a) {
  Size last = a.storage_offset;
  for (size_t d = 0; d < a.size.size(); ++d) last = last + (a.size[d] - 1) * a.stride[d];
  return last;
}

}  // namespace

void AsStrided::shape(ShapeCall& call) {
  const TensorMeta& in = *call.operands[0].meta;
  const auto& a = call.attrs.as<Attrs>();
  VITRO_CHECK(in.rank() == 1 && (equal(in.sizes[0], 1) || equal(in.strides[0], 1)),
              "as_strided: needs a contiguous tensor of one dimension, got sizes ", in.sizes,
              " and strides ", in.strides, "; use view(contiguous(x), {-1})");
  VITRO_CHECK(a.size.size() == a.stride.size(), "as_strided: got ", counted(a.size.size(), "size"),
              " and ", counted(a.stride.size(), "stride"));
  VITRO_CHECK(!less(a.storage_offset, 0), "as_strided: the offset must not be negative, got ",
              a.storage_offset);
  bool none = false;
  for (size_t d = 0; d < a.size.size(); ++d) {
    VITRO_CHECK(!less(a.size[d], 0) && !less(a.stride[d], 0),
                "as_strided: sizes and strides must not be negative, got ", a.size, " and ",
                a.stride);
    none = none || equal(a.size[d], 0);
  }
  TensorMeta result = start_of(in);
  result.sizes = a.size;
  result.strides = a.stride;
  result.offset = in.offset + a.storage_offset;
  if (none) {
    VITRO_CHECK(!less(in.sizes[0], a.storage_offset), "as_strided: offset ", a.storage_offset,
                " is past the end of ",
                counted(static_cast<uint64_t>(in.sizes[0].hint()), "element"));
  } else {
    const Size last = last_element(a);
    VITRO_CHECK(less(last, in.sizes[0]), "as_strided: sizes ", a.size, ", strides ", a.stride,
                " and offset ", a.storage_offset, " reach element ", last, " of ", in.sizes[0]);
  }
  call.results.push_back(std::move(result));
}

IndexList AsStrided::map(const TensorMeta&, const TensorMeta&, AttrsView attrs,
                         std::span<const sym::Expr> index) {
  const auto& a = attrs.as<Attrs>();
  sym::Expr at = a.storage_offset.expr();
  for (size_t d = 0; d < index.size(); ++d) at = at + index[d] * a.stride[d].expr();
  return {at};
}

}  // namespace vitro::ops

namespace vitro {

Tensor permute(ops::At x, DimsArg dims) {
  return ops::call<ops::Permute>(x.where, {x.operand}, {std::move(dims)});
}
Tensor transpose(ops::At x, int64_t dim0, int64_t dim1) {
  const CalledAs name("transpose", x.where);
  const int64_t rank = x.operand.tensor().rank();
  const auto a = static_cast<size_t>(ops::wrap_dim("transpose", dim0, rank)),
             b = static_cast<size_t>(ops::wrap_dim("transpose", dim1, rank));
  Dims dims;
  for (int64_t d = 0; d < rank; ++d) dims.push_back(d);
  if (rank > 0) std::swap(dims[a], dims[b]);
  return permute(x, dims);
}
Tensor t(ops::At x) {
  const CalledAs name("t", x.where);
  const int64_t rank = x.operand.tensor().rank();
  VITRO_CHECK(rank <= 2, "t: takes a tensor of rank 2 or less, got rank ", rank, "; use transpose");
  return rank < 2 ? x.operand.tensor() : transpose(x, 0, 1);
}
Tensor expand(ops::At x, SizesArg size) {
  return ops::call<ops::Expand>(x.where, {x.operand}, {std::move(size)});
}
Tensor slice(ops::At x, int64_t dim, Size start, Size end, int64_t step) {
  return ops::call<ops::Slice>(x.where, {x.operand}, {dim, start, end, step});
}
Tensor narrow(ops::At x, int64_t dim, Size start, Size length) {
  const CalledAs name("narrow", x.where);
  const Size size = x.operand.tensor().size(dim);
  const Size from = less(start, 0) ? start + size : start;
  VITRO_CHECK(!less(length, 0), "narrow: length must not be negative, got ", number_of(length));
  VITRO_CHECK(!less(from, 0) && !less(size, from) && !less(size - from, length), "narrow: start ",
              number_of(start), " and length ", number_of(length), " leave dimension ", dim,
              " of size ", number_of(size));
  return slice(x, dim, from, from + length);
}
Tensor select(ops::At x, int64_t dim, Size index) {
  return ops::call<ops::Select>(x.where, {x.operand}, {dim, index});
}
Tensor detach(ops::At x) {
  return ops::call<ops::Detach>(x.where, {x.operand});
}
Tensor squeeze(ops::At x) {
  return ops::call<ops::Squeeze>(x.where, {x.operand}, {});
}
Tensor squeeze(ops::At x, DimsArg dim) {
  return dim.empty() ? alias(x) : ops::call<ops::Squeeze>(x.where, {x.operand}, {std::move(dim)});
}
Tensor ops::Squeeze::of(ops::At x, const std::optional<Dims>& dim) {
  return dim ? squeeze(x, *dim) : squeeze(x);
}
Tensor unsqueeze(ops::At x, int64_t dim) {
  return ops::call<ops::Unsqueeze>(x.where, {x.operand}, {dim});
}
Tensor diagonal(ops::At x, int64_t offset, int64_t dim1, int64_t dim2) {
  return ops::call<ops::Diagonal>(x.where, {x.operand}, {offset, dim1, dim2});
}

namespace {

// Tensor::is_contiguous() of this call: where the answer depends on sizes that vary, it holds for
// the calls that answer alike.
bool is_contiguous_here(const Tensor& t) {
  if (t.is_contiguous()) return true;
  for (const Size size : t.sizes()) {
    if (equal(size, 0)) return true;
  }
  const Sizes strides = t.strides();
  Size expected = 1;
  for (size_t d = strides.size(); d-- > 0;) {
    if (equal(t.sizes()[d], 1)) continue;
    if (!equal(strides[d], expected)) return false;
    expected = expected * t.sizes()[d];
  }
  return true;
}

}  // namespace

Tensor as_strided(ops::At x, SizesArg size, SizesArg stride, Size storage_offset) {
  const CalledAs name("as_strided", x.where);
  const Tensor& t = x.operand.tensor();
  const Tensor flat = t.rank() != 1 && is_contiguous_here(t) ? view(x, {-1}) : t;
  return ops::call<ops::AsStrided>(x.where, {flat},
                                   {std::move(size), std::move(stride), storage_offset});
}

namespace {

// Rejects numbers of tensors that would take hours.
void check_count(std::string_view op, int64_t parts) {
  constexpr int64_t most = int64_t{1} << 24;
  VITRO_CHECK(parts <= most, op, ": returns ", parts, " tensors, more than the ", most,
              " that one call may return");
}

}  // namespace

std::vector<Tensor> split(ops::At x, int64_t split_size, int64_t dim) {
  const CalledAs name("split", x.where);
  const auto size = static_cast<int64_t>(x.operand.tensor().size(dim));
  VITRO_CHECK(split_size > 0 || (split_size == 0 && size == 0),
              "split: split_size must be positive, got ", split_size);
  if (size == 0) return {slice(x, dim)};
  check_count("split", (size - 1) / split_size + 1);
  std::vector<Tensor> pieces;
  for (int64_t at = 0; at < size;) {
    const int64_t end = split_size < size - at ? at + split_size : size;
    pieces.push_back(slice(x, dim, at, end));
    at = end;
  }
  return pieces;
}
std::vector<Tensor> split_with_sizes(ops::At x, const Dims& sizes, int64_t dim) {
  const CalledAs name("split_with_sizes", x.where);
  const Size size = x.operand.tensor().size(dim);
  Size sum = 0;
  for (const int64_t s : sizes) sum = sum + s;
  VITRO_CHECK(equal(size, sum), "split_with_sizes: ", sizes, " add up to ", number_of(sum),
              ", dimension ", dim, " has size ", number_of(size));
  std::vector<Tensor> pieces;
  int64_t at = 0;
  for (const int64_t s : sizes) {
    VITRO_CHECK(s >= 0, "split_with_sizes: sizes must not be negative, got ", sizes);
    pieces.push_back(slice(x, dim, at, at + s));
    at += s;
  }
  return pieces;
}
std::vector<Tensor> chunk(ops::At x, int64_t chunks, int64_t dim) {
  const CalledAs name("chunk", x.where);
  VITRO_CHECK(chunks > 0, "chunk: chunks must be positive, got ", chunks);
  const auto size = static_cast<int64_t>(x.operand.tensor().size(dim));
  if (size > 0) return split(x, (size - 1) / chunks + 1, dim);
  check_count("chunk", chunks);
  return split_with_sizes(x, Dims(static_cast<size_t>(chunks), 0), dim);
}
std::vector<Tensor> unbind(ops::At x, int64_t dim) {
  const CalledAs name("unbind", x.where);
  const auto size = static_cast<int64_t>(x.operand.tensor().size(dim));
  check_count("unbind", size);
  std::vector<Tensor> pieces;
  for (int64_t i = 0; i < size; ++i) pieces.push_back(select(x, dim, i));
  return pieces;
}

}  // namespace vitro
