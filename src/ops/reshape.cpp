// view and reshape: finds the strides that other sizes have over the same elements.
#include <algorithm>

#include "core/numbers.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/ops/create.h"
#include "vitro/ops/view.h"

namespace vitro {
namespace ops {
namespace {

// Strides of an empty result: row-major, with sizes of 0 counted as 1.
Sizes strides_of_empty(const TensorMeta& x, const Sizes& size) {
  bool same = x.sizes.size() == size.size();
  for (size_t d = 0; same && d < size.size(); ++d) same = known_equal(x.sizes[d], size[d]);
  return same ? x.strides : contiguous_strides(size);
}

bool is_empty(const Sizes& sizes) {
  return std::any_of(sizes.begin(), sizes.end(), [](Size s) { return known_equal(s, 0); });
}

// Indices of the dimensions of a group [begin, end) of `sizes`, from the index within the group. A
// group without elements has none; no code uses the zeros.
void unravel(const Sizes& sizes, size_t begin, size_t end, sym::Expr within, IndexList& out) {
  const auto is_zero = [](Size s) { return s.expr().is(0); };
  if (std::any_of(&sizes[begin], &sizes[begin] + (end - begin), is_zero)) {
    for (size_t d = begin; d < end; ++d) out[d] = 0;
    return;
  }
  for (size_t d = end; d-- > begin;) {
    const sym::Expr size = sizes[d].expr();
    out[d] = d == begin ? within : sym::mod(within, size);
    if (d != begin) within = sym::floordiv(within, size);
  }
}

sym::Expr ravel(const Sizes& sizes, size_t begin, size_t end, std::span<const sym::Expr> index) {
  sym::Expr within = 0;
  for (size_t d = begin; d < end; ++d) within = within * sizes[d].expr() + index[d];
  return within;
}

}  // namespace

Sizes resolved_size(std::string_view op, const TensorMeta& x, const Sizes& size) {
  Sizes out = size;
  Size known = 1;
  std::optional<size_t> open;
  for (size_t d = 0; d < size.size(); ++d) {
    // A computed size may turn out to be -1, too.
    const bool negative = less(size[d], 0);
    if (known_equal(size[d], -1) || (negative && equal(size[d], -1))) {
      VITRO_CHECK(!open, op, ": only one size may be -1, got ", numbers_of(size));
      open = d;
      continue;
    }
    VITRO_CHECK(!negative, op, ": sizes must not be negative, got ", numbers_of(size));
    known = known * size[d];
  }
  const Size count = product(x.sizes);
  if (open) {
    VITRO_CHECK(!equal(known, 0), op, ": -1 can be anything in ", numbers_of(size), " for sizes ",
                numbers_of(x.sizes));
    out[*open] = count / known;
    known = known * out[*open];
  }
  VITRO_CHECK(equal(known, count), op, ": sizes ", numbers_of(x.sizes), " have ", number_of(count),
              " elements, which sizes ", numbers_of(size), " cannot hold");
  return out;
}

// Whether more dimensions are needed to make `had` elements of `made`.  Sizes that depend on data
// may have equal bounds and differ.
bool needs_more(Size made, Size had) {
  if (less_in_layout(made, had)) return true;
  return !known_equal(made, had) && !less_in_layout(had, made);
}

// For sizes that depend on data, strides that are valid for large sizes are valid for small ones;
// if none are found, elements are copied.
std::optional<Sizes> view_strides(const TensorMeta& x, const Sizes& size) {
  if (is_empty(x.sizes)) return strides_of_empty(x, size);
  Sizes out(size.size(), Size(1));
  if (x.sizes.empty()) return out;
  // Contiguous: needs no guards about sizes of 1.
  if (attribute::same(x.strides, contiguous_strides(x.sizes))) return contiguous_strides(size);
  size_t next = size.size();
  Size base = x.strides.back(), had = 1, made = 1;
  for (size_t d = x.sizes.size(); d-- > 0;) {
    had = had * x.sizes[d];
    const bool goes_on =
        d > 0 && (known_equal(x.sizes[d - 1], 1) || known_equal(x.strides[d - 1], had * base));
    if (goes_on) continue;
    while (next > 0 && (needs_more(made, had) || known_equal(size[next - 1], 1))) {
      --next;
      out[next] = made * base;
      made = made * size[next];
    }
    if (!known_equal(made, had)) return std::nullopt;
    if (d == 0) break;
    base = x.strides[d - 1];
    had = made = 1;
  }
  if (next != 0) return std::nullopt;
  return out;
}

void View::shape(ShapeCall& call) {
  const TensorMeta& in = *call.operands[0].meta;
  const Sizes size = resolved_size(call.op, in, call.attrs.as<Attrs>().size);
  const auto strides = view_strides(in, size);
  VITRO_CHECK(strides, "view: sizes ", in.sizes, " with strides ", in.strides,
              " cannot be viewed as sizes ", size, " without moving elements; use reshape");
  call.results.push_back({in.dtype, in.device, size, *strides, in.offset});
}

// Groups of dimensions with equal products on both sides are mapped separately, which keeps index
// expressions simple.
IndexList View::map(const TensorMeta& operand, const TensorMeta& result, AttrsView,
                    std::span<const sym::Expr> index) {
  const Sizes &to = operand.sizes, &from = result.sizes;
  IndexList out(to.size(), sym::Expr(0));
  size_t t = to.size(), f = from.size();
  while (t > 0 || f > 0) {
    const size_t to_end = t, from_end = f;
    sym::Expr to_count = 1, from_count = 1;
    const auto grow_to = [&] { to_count = to_count * to[--t].expr(); };
    const auto grow_from = [&] { from_count = from_count * from[--f].expr(); };
    if (t > 0) grow_to();
    if (f > 0) grow_from();
    while (!(to_count == from_count) && (t > 0 || f > 0)) {
      const bool is_fewer = f == 0 || sym::prove_less(to_count, from_count).value_or(false);
      (is_fewer && t > 0) ? grow_to() : f > 0 ? grow_from() : grow_to();
    }
    unravel(to, t, to_end, ravel(from, f, from_end, index), out);
  }
  return out;
}

}  // namespace ops

Tensor view(ops::At x, SizesArg size) {
  return ops::call<ops::View>(x.where, {x.operand}, {std::move(size)});
}

Tensor reshape(ops::At x, SizesArg size) {
  const CalledAs name("reshape", x.where);
  const TensorMeta meta = x.operand.tensor().rule_meta();
  const Sizes wanted = ops::resolved_size("reshape", meta, size);
  if (ops::view_strides(meta, wanted)) return view(x, wanted);
  const Tensor moved = clone(x, ops::MemoryFormat::contiguous);
  return view({moved, x.where}, wanted);
}

Tensor flatten(ops::At x, int64_t start_dim, int64_t end_dim) {
  const CalledAs name("flatten", x.where);
  const Tensor& tensor = x.operand.tensor();
  const auto first = static_cast<size_t>(ops::wrap_dim("flatten", start_dim, tensor.rank())),
             last = static_cast<size_t>(ops::wrap_dim("flatten", end_dim, tensor.rank()));
  VITRO_CHECK(first <= last, "flatten: start_dim ", first, " is after end_dim ", last);
  if (tensor.rank() == 0) return reshape(x, Sizes(1, Size(1)));
  if (first == last) return tensor;
  const Sizes sizes = tensor.sizes();
  Sizes out;
  Size joined = 1;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (d < first || d > last) out.push_back(sizes[d]);
    if (d >= first && d <= last) joined = joined * sizes[d];
    if (d == last) out.push_back(joined);
  }
  return reshape(x, out);
}

}  // namespace vitro
