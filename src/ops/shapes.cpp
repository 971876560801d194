// Building blocks of shape rules (vitro/ops/shapes.h): broadcasting, promotion, strides, views from
// index maps.
#include "vitro/ops/shapes.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <concepts>
#include <deque>
#include <limits>
#include <mutex>

#include "core/numbers.h"
#include "ops/common_size.h"
#include "ops/wide.h"
#include "vitro/base/error.h"
#include "vitro/core/interpreter.h"
#include "vitro/ops/define.h"

namespace vitro::ops {
namespace {

std::string_view text_of(Accepts accepts) {
  switch (accepts) {
    case Accepts::all:
      return "any dtype";
    case Accepts::no_bool:
      return "numbers (not bool)";
    case Accepts::floating:
      return "floating-point numbers";
    case Accepts::not_floating:
      return "integers or bool";
  }
  __builtin_unreachable();
}

bool fits(DType dtype, Accepts accepts) {
  switch (accepts) {
    case Accepts::all:
      return true;
    case Accepts::no_bool:
      return !is_bool(dtype);
    case Accepts::floating:
      return is_floating(dtype);
    case Accepts::not_floating:
      return !is_floating(dtype);
  }
  __builtin_unreachable();
}

DType result_dtype(DType common, Promote promote) {
  return promote == Promote::comparison || promote == Promote::to_bool ? DType::boolean : common;
}

// An operand's stride along dimension `dim` of the result: 0 if it is broadcast.
Size stride_along(const TensorMeta& operand, const Sizes& result, size_t dim) {
  const size_t missing = result.size() - operand.sizes.size();
  if (dim < missing) return 0;
  const Size size = operand.sizes[dim - missing];
  if (identical(size, result[dim])) return operand.strides[dim - missing];
  return known_equal(size, 1) && !known_equal(result[dim], 1) ? Size(0)
                                                              : operand.strides[dim - missing];
}

// Which of two dimensions is further in: < 0 the first, > 0 the second, 0 undecided
// (TensorIterator's rule).
int inner_first(std::span<const TensorMeta* const> operands, const Sizes& result, size_t a,
                size_t b) {
  for (const TensorMeta* operand : operands) {
    const Size sa = stride_along(*operand, result, a), sb = stride_along(*operand, result, b);
    if (equal_in_layout(sa, 0) || equal_in_layout(sb, 0)) continue;
    if (less_in_layout(sa, sb)) return -1;
    if (less_in_layout(sb, sa)) return 1;
    if (less_in_layout(result[b], result[a])) return 1;
  }
  return 0;
}

bool is_row_major(const TensorMeta& meta, const Sizes& result) {
  return attribute::same(meta.sizes, result) &&
         attribute::same(meta.strides, contiguous_strides(result));
}

Sizes strides_like_all(std::span<const TensorMeta* const> operands, const Sizes& result) {
  const bool row_major = std::all_of(operands.begin(), operands.end(),
                                     [&](const TensorMeta* m) { return is_row_major(*m, result); });
  if (row_major) return contiguous_strides(result);
  const size_t rank = result.size();
  SmallVector<size_t, 6> order;  // innermost first
  for (size_t d = rank; d-- > 0;) order.push_back(d);
  for (size_t i = 1; i < rank; ++i) {
    size_t moving = i;  // also past undecided dimensions
    for (size_t at = i; at-- > 0;) {
      const int which = inner_first(operands, result, order[at], order[moving]);
      if (which < 0) break;
      if (which == 0) continue;
      std::swap(order[at], order[moving]);
      moving = at;
    }
  }
  Sizes strides(rank, Size(1));
  Size next = 1;
  for (const size_t d : order) {
    strides[d] = next;
    if (!known_equal(result[d], 0)) next = next * result[d];
  }
  return strides;
}

}  // namespace

Size this_run(sym::Expr e) {
  if (const auto constant = e.constant()) return *constant;
  VITRO_ASSERT(thread_state.top, "a symbol outside of a compiled function: ", e);
  return {value_of(e), e};
}

int next_op_index() {
  static std::atomic<int> next{0};
  return next.fetch_add(1);
}

bool equal_sizes(const Sizes& a, const Sizes& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](Size x, Size y) { return equal(x, y); });
}

std::optional<Size> common_size(Size a, Size b) {
  if (identical(a, b) || known_equal(b, 1)) return a;
  if (known_equal(a, 1)) return b;
  if (equal(a, b)) return a.is_symbolic() && !b.is_symbolic() ? b : a;
  if (equal(b, 1)) return a;
  if (equal(a, 1)) return b;
  return std::nullopt;
}

Sizes broadcast(std::string_view op, const Sizes& a, const Sizes& b) {
  const Sizes &longer = a.size() >= b.size() ? a : b, &shorter = a.size() >= b.size() ? b : a;
  Sizes out = longer;
  const size_t missing = longer.size() - shorter.size();
  for (size_t i = 0; i < shorter.size(); ++i) {
    const Size x = longer[missing + i], y = shorter[i];
    const std::optional<Size> common = common_size(x, y);
    VITRO_CHECK(common, op, ": sizes ", numbers_of(a), " and ", numbers_of(b),
                " do not broadcast: ", number_of(x), " and ", number_of(y), " at dimension ",
                missing + i, " differ and neither is 1");
    out[missing + i] = *common;
  }
  return out;
}

int64_t wrap_dim(std::string_view op, int64_t dim, int64_t rank) {
  const int64_t range = std::max<int64_t>(rank, 1), wrapped = dim < 0 ? dim + range : dim;
  VITRO_CHECK(wrapped >= 0 && wrapped < range, op, ": dimension ", dim, " is out of range; needs ",
              -range, " to ", range - 1);
  return wrapped;
}

Dims wrap_dims(std::string_view op, const Dims& dims, int64_t rank) {
  Dims out;
  if (dims.empty()) {
    for (int64_t d = 0; d < rank; ++d) out.push_back(d);
    return out;
  }
  for (const int64_t d : dims) out.push_back(wrap_dim(op, d, rank));
  std::sort(out.begin(), out.end());
  VITRO_CHECK(std::adjacent_find(out.begin(), out.end()) == out.end(), op,
              ": a dimension appears twice in ", dims);
  if (rank == 0) out.clear();
  return out;
}

namespace {

DType promoted(std::span<const Argument> operands, const PointwiseInfo& info) {
  Promotion promotion;
  for (size_t i = info.first_is_condition ? 1 : 0; i < operands.size(); ++i) {
    const Argument& a = operands[i];
    if (a.meta) {
      promotion.add(a.meta->dtype,
                    a.meta->rank() == 0 ? Promotion::Rank::zero_dim : Promotion::Rank::dimensioned);
    } else if (a.number) {
      promotion.add(a.number->dtype(), Promotion::Rank::number);
    }
  }
  const DType common = promotion.result();
  return info.promote == Promote::to_float && !is_floating(common) ? default_float : common;
}

}  // namespace

DType common_dtype(std::span<const Argument> operands, const PointwiseInfo& info, DType result) {
  return info.promote == Promote::attribute ? result : promoted(operands, info);
}

DType operand_dtype(const Argument& operand, size_t i, const PointwiseInfo& info, DType common) {
  if (i == 0 && info.first_is_condition) return DType::boolean;
  const bool is_number = operand.number || (i > 0 && operand.meta && operand.meta->rank() == 0);
  const bool is_kept =
      info.numbers == Numbers::kept || (info.numbers == Numbers::kept_after_first && i > 0);
  return is_number && is_kept ? compute_type(common) : common;
}

void shape_of_pointwise(ShapeCall& call, const PointwiseInfo& info, Accepts accepts) {
  SmallVector<const TensorMeta*, 6> tensors;
  Sizes sizes;
  Device device;
  for (const Argument& a : call.operands) {
    if (!a.meta) continue;
    sizes = tensors.empty() ? a.meta->sizes : broadcast(call.op, sizes, a.meta->sizes);
    if (tensors.empty() || a.meta->rank() > 0) device = a.meta->device;
    tensors.push_back(a.meta);
  }
  const DType common = promoted(call.operands, info);
  VITRO_CHECK(fits(common, accepts), call.op, ": takes ", text_of(accepts), ", got ", common);
  if (info.first_is_condition && !call.operands.empty() && call.operands[0].meta) {
    VITRO_CHECK(is_bool(call.operands[0].meta->dtype), call.op,
                ": the condition must be bool, got ", call.operands[0].meta->dtype);
    // Numbers become elements of the result; of halves infinite ones, as in PyTorch.
    for (const Argument& a : call.operands)
      if (a.number && compute_type(common) == common) check_holds(call.op, common, *a.number);
  }
  TensorMeta result{result_dtype(common, info.promote), device, sizes,
                    strides_like_all(tensors, sizes), 0};
  call.results.push_back(std::move(result));
}

namespace {

bool holds_floating(DType dtype, const Scalar& number) {
  if (number.is_symbolic()) return true;  // no size is so large
  const double size = std::abs(number.as_double());
  return !(size > largest(dtype)) || std::isinf(size);
}

template <class T>
bool holds_integer(const Scalar& number) {
  constexpr T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
  if (number.is_floating()) {
    const double value = number.as_double();
    return value >= static_cast<double>(least) && value <= static_cast<double>(most);
  }
  if (sizeof(T) == sizeof(int64_t)) return true;
  const int64_t wraps_from = std::is_unsigned_v<T> ? -int64_t{most} : int64_t{least};
  return !less(number.size(), wraps_from) && !less(most, number.size());
}

}  // namespace

void check_holds(std::string_view op, DType dtype, const Scalar& number) {
  if (is_bool(dtype) || is_complex(dtype) || number.is_complex()) return;
  dispatch(dtype, [&]<class T>() {
    if constexpr (std::is_integral_v<T> && !std::same_as<T, bool>) {
      VITRO_CHECK(holds_integer<T>(number), op, ": ", dtype, " cannot hold ", number, "; it holds ",
                  +std::numeric_limits<T>::min(), " to ", +std::numeric_limits<T>::max(),
                  ", use a wider dtype");
    } else {
      VITRO_CHECK(holds_floating(dtype, number), op, ": ", dtype, " cannot hold ", number,
                  "; its largest number is ", largest(dtype));
    }
  });
}

void shape_of_reduction(ShapeCall& call, const ReducedDims& dims, DType result) {
  const TensorMeta& in = *call.operands[0].meta;
  Sizes sizes;
  for (int64_t d = 0; d < in.rank(); ++d) {
    const bool reduced = std::find(dims.dims.begin(), dims.dims.end(), d) != dims.dims.end();
    if (!reduced) sizes.push_back(in.sizes[static_cast<size_t>(d)]);
    if (reduced && dims.keepdim) sizes.push_back(1);
  }
  call.results.push_back(dense(result, in.device, sizes));
}

// Without elements every stride is dense: keeps them, as PyTorch does.
Sizes strides_like(const TensorMeta& meta) {
  if (std::ranges::any_of(meta.sizes, [](Size s) { return known_equal(s, 0); }))
    return meta.strides;
  const TensorMeta* const one[] = {&meta};
  return strides_like_all(one, meta.sizes);
}

TensorMeta dense(DType dtype, Device device, Sizes sizes) {
  TensorMeta out{dtype, device, sizes, {}, 0};
  out.strides = contiguous_strides(out.sizes);
  return out;
}

std::span<const sym::Expr> probe_indices(int rank) {
  static std::mutex lock;
  static auto* probes = new std::deque<std::vector<sym::Expr>>;
  std::lock_guard hold(lock);
  while (static_cast<int>(probes->size()) <= rank) {
    std::vector<sym::Expr> more = probes->empty() ? std::vector<sym::Expr>{} : probes->back();
    if (!probes->empty()) {
      more.push_back(sym::Expr::symbol(cat("dim", more.size()), {-sym::unbounded, sym::unbounded}));
    }
    probes->push_back(more);
  }
  return (*probes)[static_cast<size_t>(rank)];
}

void strides_from_map(const TensorMeta& operand, TensorMeta& result, AttrsView attrs,
                      const ViewInfo& view) {
  const auto probes = probe_indices(result.rank());
  const auto index = view.map(operand, result, attrs, probes);
  result.strides = Sizes(result.sizes.size(), Size(0));
  result.offset = operand.offset;
  for (size_t d = 0; d < index.size(); ++d) {
    sym::Expr rest = index[d];
    for (size_t r = 0; r < probes.size(); ++r) {
      if (!sym::contains(rest, probes[r])) continue;
      const auto linear = sym::as_linear(rest, probes[r]);
      VITRO_ASSERT(linear, "a view's index map is not affine: ", index[d]);
      result.strides[r] = result.strides[r] + operand.strides[d] * this_run(linear->coefficient);
      rest = linear->rest;
    }
    result.offset = result.offset + operand.strides[d] * this_run(rest);
  }
}

DType result_type(std::initializer_list<const Operand*> operands) {
  Promotion promotion;
  for (const Operand* o : operands) {
    if (o->is_number()) {
      promotion.add(o->number().dtype(), Promotion::Rank::number);
    } else {
      const bool flat = o->tensor().rank() == 0;
      promotion.add(o->tensor().dtype(),
                    flat ? Promotion::Rank::zero_dim : Promotion::Rank::dimensioned);
    }
  }
  return promotion.result();
}

}  // namespace vitro::ops
