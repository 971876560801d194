// Bags as scatters: rows are added, or compared, at the number of their bag.
#include "vitro/ops/embedding_bag.h"

#include <limits>

#include "core/numbers.h"
#include "ops/bags.h"
#include "ops/value.h"
#include "ops/wide.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/ops/concat.h"
#include "vitro/ops/create.h"
#include "vitro/ops/gather.h"
#include "vitro/ops/reduce.h"
#include "vitro/ops/scan.h"
#include "vitro/ops/scatter.h"
#include "vitro/ops/view.h"

namespace vitro {
namespace {

using namespace ops;

constexpr std::string_view op = "embedding_bag";

struct Bags {
  Size count;     // with the one that the last offset begins, even if it is none
  Value of;       // the bag of each index
  Value indices;  // in the dtype of the results
  Value taken;    // whether an index is not left out

  // A tensor like rows, which has one row for each index, with one row for each bag.
  Value filled(const Value& rows, const Scalar& value) const {
    Sizes sizes = rows.sizes();
    sizes[0] = count;
    return full(sizes, value, rows.dtype(), rows.device());
  }
  Value sums(const Value& rows) const { return index_add(filled(rows, 0), 0, of, rows); }
  Value sizes(const DType type) const { return sums(to(taken, type)); }
};

// Counts the bags that have begun at each index.
Value bag_of_each(const Tensor& offsets, Size indices) {
  const Value none = zeros({indices + 1}, offsets.dtype(), offsets.device());
  const Value begun = cumsum(index_add(none, 0, offsets, ones_like(offsets)), 0, offsets.dtype());
  return narrow(begun, 0, 0, indices) - 1;
}

void check(const Tensor& weight, const Tensor& indices, const Tensor& offsets, int64_t mode,
           const Tensor& scale, bool include_last_offset) {
  VITRO_CHECK(weight.rank() == 2 && is_floating(weight.dtype()), op,
              ": needs a floating-point weight of rank 2, got ", weight.dtype(),
              numbers_of(weight.sizes()));
  VITRO_CHECK(indices.rank() == 1 && offsets.rank() == 1, op,
              ": needs indices and offsets of rank 1, got sizes ", numbers_of(indices.sizes()),
              " and ", numbers_of(offsets.sizes()));
  const DType type = promote(indices.dtype(), offsets.dtype());
  VITRO_CHECK(type == DType::i32 || type == DType::i64, op,
              ": needs indices and offsets of i32 or i64, got ", indices.dtype(), " and ",
              offsets.dtype());
  VITRO_CHECK(mode >= bag_sum && mode <= bag_max, op,
              ": mode must be 0 (sum), 1 (mean) or 2 (max), got ", mode);
  VITRO_CHECK(!include_last_offset || !less(offsets.size(0), 1), op,
              ": include_last_offset needs an offset");
  if (!scale.defined()) return;
  VITRO_CHECK(mode == bag_sum, op, ": per_sample_weights need mode 0 (sum), got ", mode);
  VITRO_CHECK(
      scale.dtype() == weight.dtype() && scale.rank() == 1 && equal(scale.size(0), indices.size(0)),
      op, ": needs a per_sample_weight of ", weight.dtype(), " for each of ",
      number_of(indices.size(0)), " indices, got ", scale.dtype(), numbers_of(scale.sizes()));
}

// The index from which the maximum of each bag and column is; -1 in an empty bag.
Value indices_of_largest(const Bags& bags, const Value& rows) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Size n = bags.indices.size(0);
  const Value taken = unsqueeze(bags.taken, 1);
  const Value candidates = ops::where(~taken, -infinity, rows);
  const Value largest =
      index_reduce(bags.filled(rows, -infinity), 0, bags.of, candidates, ScatterReduction::amax);
  const Value is_largest = taken & ((rows == index_select(largest, 0, bags.of)) | isnan(rows));
  // The first of those, as a position among the indices; n: none.
  const Value positions = unsqueeze(arange(n, bags.indices.dtype(), rows.device()), 1);
  const Scalar end = n;
  const Value at = ops::where(is_largest, positions, end);
  const Value first = index_reduce(bags.filled(at, end), 0, bags.of, at, ScatterReduction::amin);
  const Value missing = full({1}, -1, bags.indices.dtype(), rows.device());
  const Value found = index_select(vitro::cat({bags.indices, missing}, 0), 0, reshape(first, {-1}));
  return reshape(found, first.sizes());
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor, Tensor> ops::bags(const At& weight, const Tensor& indices,
                                                     const Tensor& offsets, bool scale_grad_by_freq,
                                                     int64_t mode, bool, const Tensor& scale,
                                                     bool include_last_offset, Size padding) {
  const CalledAs name(op, weight.where);
  const Tensor& w = weight.operand.tensor();
  check(w, indices, offsets, mode, scale, include_last_offset);
  const DType type = promote(indices.dtype(), offsets.dtype()), wide = compute_type(w.dtype());
  const bool pads = !less(padding, 0);
  const Size n = indices.size(0), count = offsets.size(0), kept = count - include_last_offset;
  const auto numbers = [&](const Sizes& sizes) { return zeros(sizes, type, w.device()); };
  const Value none = numbers({0}), no_sizes = numbers({kept});
  if (known_equal(n, 0) || known_equal(count, 0)) {
    // The sum of no rows, so that it has a gradient.
    const Tensor zero =
        zeros({kept, w.size(1)}, w.dtype(), w.device()) + sum(narrow(w, 0, 0, 0), 0);
    return {zero, numbers({n}), no_sizes,
            mode == bag_max ? vitro::to(zero, type) : Tensor(no_sizes)};
  }

  Bags bags{count, bag_of_each(to(offsets, type), n), to(indices, type), {}};
  bags.taken =
      pads ? bags.indices != Scalar(padding) : Value(ones_like(bags.indices, DType::boolean));
  const auto cut = [&](const Value& x) {
    return include_last_offset ? Value(narrow(x, 0, 0, kept)) : x;
  };
  Value rows = to(embedding({w, weight.where}, bags.indices, padding, scale_grad_by_freq), wide);
  // What ATen returns depends on whether it has a kernel of its own for the sum.
  const bool is_plain_sum =
      mode == bag_sum && !pads && w.dtype() != DType::f64 && equal(w.strides()[1], 1);
  const Tensor listed = is_plain_sum ? none : bags.of;
  if (mode == bag_max) {
    const Value from = cut(indices_of_largest(bags, rows)), empty = from < 0;
    const Value index = ops::where(empty, 0, from);
    const Value largest = ops::where(empty, 0, Value(gather({w, weight.where}, 0, index)));
    const Value sizes = cut(bags.sizes(type));
    return {largest, listed, sizes, index};
  }
  if (scale.defined()) rows = rows * unsqueeze(to(scale, wide), 1);
  if (pads) rows = ops::where(unsqueeze(bags.taken, 1), rows, 0);
  Value sums = cut(bags.sums(rows));
  if (mode == bag_sum) return {to(sums, w.dtype()), listed, no_sizes, no_sizes};
  const Value sizes = cut(bags.sizes(type));
  const Value means = sums / unsqueeze(to(maximum(sizes, 1), wide), 1);
  return {to(means, w.dtype()), listed, sizes, sizes};
}

std::tuple<Tensor, Tensor, Tensor, Tensor> ops::bags_forward_only(
    const At& weight, const Tensor& indices, const Tensor& offsets, bool scale_grad_by_freq,
    int64_t mode, bool sparse, const Tensor& scale, bool include_last_offset, Size padding) {
  auto out = bags(weight, indices, offsets, scale_grad_by_freq, mode, sparse, scale,
                  include_last_offset, padding);
  if (mode == bag_sum && include_last_offset)
    std::get<2>(out) = std::get<3>(out) = zeros_like(offsets, std::get<2>(out).dtype());
  return out;
}

std::tuple<Tensor, Tensor, Tensor, Tensor> embedding_bag(
    ops::At weight, const Tensor& indices, const Tensor& offsets, bool scale_grad_by_freq,
    int64_t mode, bool sparse, const Tensor& per_sample_weights, bool include_last_offset,
    std::optional<int64_t> padding_idx) {
  const CalledAs name(op, weight.where);
  Size padding = -1;
  if (padding_idx) {
    const Size rows = weight.operand.tensor().size(0);
    VITRO_CHECK(!less(*padding_idx, -rows) && less(*padding_idx, rows), op, ": padding_idx ",
                *padding_idx, " is out of range for ", number_of(rows), " rows");
    padding = *padding_idx < 0 ? rows + *padding_idx : Size(*padding_idx);
  }
  return ops::bags_forward_only(weight, indices, offsets, scale_grad_by_freq, mode, sparse,
                                per_sample_weights, include_last_offset, padding);
}

}  // namespace vitro
