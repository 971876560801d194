// Segments as scatters: each element is put, with the reduction, at the number of its segment.
#include "vitro/ops/segments.h"

#include <limits>

#include "core/numbers.h"
#include "ops/value.h"
#include "ops/wide.h"
#include "vitro/base/called_as.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/ops/create.h"
#include "vitro/ops/rearrange.h"
#include "vitro/ops/reduce.h"
#include "vitro/ops/scan.h"
#include "vitro/ops/scatter.h"
#include "vitro/ops/view.h"
#include "vitro/ops/window.h"

namespace vitro {
namespace {

using namespace ops;

constexpr std::string_view op = "segment_reduce";

struct Way {
  std::string_view name;
  ScatterReduction combine;
  double identity;
};
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Way reductions[] = {
    {"sum", ScatterReduction::sum, 0},          {"mean", ScatterReduction::sum, 0},
    {"max", ScatterReduction::amax, -infinity}, {"amax", ScatterReduction::amax, -infinity},
    {"min", ScatterReduction::amin, infinity},  {"amin", ScatterReduction::amin, infinity},
    {"prod", ScatterReduction::prod, 1}};

const Way& reduction_named(std::string_view name) {
  for (const Way& one : reductions)
    if (one.name == name) return one;
  throw_error(cat(op, ": reduce must be \"sum\", \"mean\", \"max\", \"min\" or \"prod\", got \"",
                  name, '"'));
}

// Checks lengths or offsets, and returns the offsets [..., s + 1].
Value offsets_of(const Tensor& x, const Tensor& lengths, const Tensor& offsets, int64_t axis,
                 bool unsafe) {
  const bool by_lengths = lengths.defined() && !offsets.defined();
  VITRO_CHECK(lengths.defined() || offsets.defined(), op, ": needs lengths or offsets");
  const Tensor& given = by_lengths ? lengths : offsets;
  const std::string_view what = by_lengths ? "lengths" : "offsets";
  VITRO_CHECK(given.dtype() == DType::i64 || given.dtype() == DType::i32, op, ": ", what,
              " must be i32 or i64, got ", given.dtype());
  bool fits = given.rank() == axis + 1;
  for (int64_t d = 0; fits && d < axis; ++d) fits = equal(given.size(d), x.size(d));
  VITRO_CHECK(fits, op, ": ", what, " of sizes ", numbers_of(given.sizes()), " do not fit axis ",
              axis, " of data of sizes ", numbers_of(x.sizes()),
              ": they need the sizes before the axis and one more dimension");
  const Value all = to(given, DType::i64);
  if (!by_lengths) {
    VITRO_CHECK(!less(all.size(-1), 1), op, ": needs an offset");
    return all;
  }
  const Value ends = cumsum(all, -1);
  if (!unsafe) {
    const Value sums = sum(all, Dims{-1});
    const Value right = sums == Scalar(x.size(axis));
    VITRO_CHECK((vitro::all(right) & vitro::all(all >= 0)).item<bool>(), op,
                ": lengths must not be negative and must add up to ", number_of(x.size(axis)),
                ", the size of axis ", axis);
  }
  return constant_pad_nd(ends, {1, 0});
}

}  // namespace

Tensor segment_reduce(ops::At data, std::string_view reduce, const Tensor& lengths,
                      const Tensor& offsets, int64_t axis, bool unsafe,
                      const std::optional<Scalar>& initial) {
  const CalledAs name(op, data.where);
  const Way& how = reduction_named(reduce);
  const Value x = widened(op, data);
  VITRO_CHECK(x.rank() > 0, op, ": needs data with dimensions");
  axis = wrap_dim(op, axis, x.rank());
  const Value bounds = offsets_of(x, lengths, offsets, axis, unsafe);
  const Size count = bounds.size(-1) - 1, length = x.size(axis);
  const Value starts = narrow(bounds, -1, 0, count), ends = narrow(bounds, -1, 1, count);
  // The segment of each place along the axis: the number of those that have ended. What is before
  // the first one is in one more, after the last one.
  Sizes sizes = bounds.sizes();
  sizes.back() = length;
  const Value places = expand(arange(length, DType::i64, x.device()), sizes);
  Value segment = searchsorted(clone(ends, MemoryFormat::contiguous),
                               clone(places, MemoryFormat::contiguous), false, true);
  segment = ops::where(places < Value(narrow(bounds, -1, 0, 1)), Scalar(count), segment);
  for (int64_t d = axis + 1; d < x.rank(); ++d) segment = unsqueeze(segment, -1);
  Sizes into = x.sizes();
  into[static_cast<size_t>(axis)] = count + 1;
  const Tensor first = full(into, initial.value_or(how.identity), x.dtype(), x.device());
  const Value put = scatter_reduce(first, axis, expand(segment, x.sizes()), x, how.combine);
  Value out = narrow(put, axis, 0, count);
  if (reduce == "mean") {
    Value number = ends - starts;
    if (initial) number = maximum(number, 1);
    for (int64_t d = axis + 1; d < x.rank(); ++d) number = unsqueeze(number, -1);
    out = out / to(number, x.dtype());
  }
  return contiguous(to(out, data.operand.tensor().dtype()));
}

}  // namespace vitro
