// Connectionist temporal classification (Graves et al., 2006): the probability of a target, summed
// over all ways to spread its labels, with blanks between them, over the steps.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/numbers.h"
#include "ops/autocast.h"
#include "ops/value.h"
#include "ops/wide.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/ops/choose.h"
#include "vitro/ops/concat.h"
#include "vitro/ops/create.h"
#include "vitro/ops/gather.h"
#include "vitro/ops/layout.h"
#include "vitro/ops/loss.h"
#include "vitro/ops/rearrange.h"
#include "vitro/ops/scan.h"
#include "vitro/ops/view.h"
#include "vitro/ops/window.h"

namespace vitro {
namespace {

using namespace ops;

constexpr std::string_view op = "ctc_loss";
constexpr double least = -std::numeric_limits<double>::infinity();

// ---- calls of ops with fewer arguments, which are many here ----

Value column(const Tensor& x) {
  return unsqueeze(x, 1);
}
Value places(const Tensor& like, const Size& n) {
  return arange(n, DType::i64, like.device());
}
Value whole(const Tensor& like, const Sizes& sizes, int64_t number) {
  return full(sizes, number, DType::i64, like.device());
}
Value picked(const Tensor& x, int64_t dim, const Tensor& index) {
  return gather(x, dim, index);
}
Value at_step(const Tensor& each, int64_t t) {
  return select(each, 0, t);
}
Value part(const Tensor& x, const Size& begin, const Size& length) {
  return narrow(x, 1, begin, length);
}
Value beside(const Tensor& a, const Tensor& b) {
  return vitro::cat({a, b}, 1);
}
Value at_least(const Tensor& x, int64_t number) {
  return clamp(x, number);
}

// ---- the program ----

// The lengths of a batch, which are checked before the program is made, and the same as a tensor.
struct Lengths {
  std::vector<int64_t> each;
  Value tensor;

  Lengths(const DimsArg& given, Device device) {
    std::vector<Tensor> parts;
    for (const int64_t one : given) {
      each.push_back(one);
      parts.push_back(full({1}, one, DType::i64, device));
    }
    tensor = parts.empty() ? zeros({0}, DType::i64, device) : vitro::cat(parts, 0);
  }
  explicit Lengths(const Tensor& given) {
    VITRO_CHECK(given.rank() == 1 && is_integer(given.dtype()), op,
                ": lengths must be integers of rank 1, got ", given.dtype(), " of sizes ",
                numbers_of(given.sizes()));
    tensor = to(given, DType::i64);
    each = tensor.to_vector<int64_t>();
  }
  int64_t longest() const { return each.empty() ? 0 : *std::ranges::max_element(each); }

  void check(std::string_view name, Size batch, Size most) const {
    VITRO_CHECK(equal(batch, static_cast<int64_t>(each.size())), op, ": needs one of ", name,
                " for each of ", number_of(batch), " rows, got ", each.size());
    for (const int64_t one : each)
      VITRO_CHECK(one >= 0 && !less(most, one), op, ": ", name, " must be from 0 to ",
                  number_of(most), ", got ", one);
  }
};

// The labels [n, longest]; any labels after the last one of a row.
Value labels_of(const Tensor& targets, const Lengths& lengths, const Size& batch) {
  VITRO_CHECK(targets.rank() == 1 || (targets.rank() == 2 && equal(targets.size(0), batch)), op,
              ": targets must have rank 1, or 2 with ", number_of(batch), " rows, got sizes ",
              numbers_of(targets.sizes()));
  lengths.check("target_lengths", batch, targets.size(-1));
  const Value all = to(targets, DType::i64);
  if (targets.rank() == 2) return part(all, 0, lengths.longest());
  const int64_t sum = std::accumulate(lengths.each.begin(), lengths.each.end(), int64_t{0});
  VITRO_CHECK(equal(targets.size(0), sum), op, ": target_lengths add up to ", sum, ", targets are ",
              number_of(targets.size(0)));
  const Value first = cumsum(lengths.tensor, 0) - lengths.tensor;
  const Value place = places(all, lengths.longest());
  return take(all, ops::where(place < column(lengths.tensor), column(first) + place, 0));
}

// A blank before, between and after the labels: [n, 2 * longest + 1].
Value with_blanks(const Value& labels, int64_t blank) {
  const Size n = labels.size(0), longest = labels.size(1);
  const Value pairs = stack({whole(labels, labels.sizes(), blank), labels}, 2);
  return beside(reshape(pairs, {n, 2 * longest}), whole(labels, {n, 1}, blank));
}

// The logarithm of the sum of e^x. Where all are -inf neither it nor its gradient is NaN.
Value log_of_sum(std::initializer_list<Value> terms) {
  Value largest = *terms.begin(), sum;
  for (const Value& one : terms) largest = ops::maximum(largest, one);
  const Value none = largest == least;
  largest = detach(ops::where(none, 0, largest));
  for (const Value& one : terms) {
    const Value power = exp(one - largest);
    sum = sum.defined() ? sum + power : power;
  }
  return ops::where(none, least, log(ops::where(none, 1, sum)) + largest);
}

// After `count` elements of -inf.
Value shifted(const Value& x, int64_t count) {
  const Value before = full({x.size(0), count}, least, x.dtype(), x.device());
  return beside(before, part(x, 0, x.size(1) - count));
}

// The logarithms of the probabilities of beginnings that end with each label: [n, steps, labels].
Value alphas(const Value& log_probs, const Value& labels, const Value& lengths) {
  const int64_t steps = log_probs.size(0).value();
  const Size n = labels.size(0), count = labels.size(1);
  const Value each = picked(log_probs, 2, expand(labels, {steps, n, count}));
  const Value place = places(labels, count);
  Value now = ops::where((place < 2) & (place <= column(lengths) * 2), at_step(each, 0), least);
  Value skips;
  const bool has_labels = count.value() > 1;
  if (has_labels)  // a blank between different labels may be left out
    skips = constant_pad_nd(part(labels, 2, count - 2) != part(labels, 0, count - 2), {2, 0});
  std::vector<Tensor> all{now};
  for (int64_t t = 1; t < steps; ++t) {
    if (has_labels)
      now = log_of_sum({now, shifted(now, 1), ops::where(skips, shifted(now, 2), least)});
    now = now + at_step(each, t);
    all.push_back(now);
  }
  return stack(all, 1);
}

// ATen's gradient is that of a softmax before: e^x is added to the gradient of x. This is 0, with
// that gradient.
Value as_of_softmax(const Value& log_probs, const Value& lengths) {
  const Value step = column(places(log_probs, log_probs.size(0)));
  const Value sums = sum(ops::where(step < lengths, sum(exp(log_probs), {2}), 0), {0});
  return sums - detach(sums);
}

// Of each row of the batch.
Value losses(const Value& x, const Tensor& targets, const Lengths& input_lengths,
             const Lengths& target_lengths, int64_t blank) {
  VITRO_CHECK(x.rank() == 3 && !equal(x.numel(), 0), op,
              ": needs log_probs [steps, batch, classes] with elements, got sizes ",
              numbers_of(x.sizes()));
  VITRO_CHECK(blank >= 0 && less(blank, x.size(2)), op, ": blank must be one of ",
              number_of(x.size(2)), " classes, got ", blank);
  input_lengths.check("input_lengths", x.size(1), x.size(0));
  const Value labels = with_blanks(labels_of(targets, target_lengths, x.size(1)), blank);
  const Value steps = input_lengths.tensor, ends = column(target_lengths.tensor * 2);
  const Value alpha = alphas(x, labels, target_lengths.tensor);
  const Value last = column(column(at_least(steps - 1, 0)));
  const Value at_last = squeeze(picked(alpha, 1, expand(last, {-1, 1, alpha.size(2)})), 1);
  const Value no_labels = ends == 0;
  const Value on_label = picked(at_last, 1, at_least(ends - 1, 0));
  const Value found =
      log_of_sum({picked(at_last, 1, ends), ops::where(no_labels, least, on_label)});
  const Value without = log(to(no_labels, x.dtype()));  // a certain or an impossible target
  return as_of_softmax(x, steps) - squeeze(ops::where(column(steps == 0), without, found), 1);
}

Tensor loss(const At& given, const Tensor& targets, const Lengths& input_lengths,
            const Lengths& target_lengths, int64_t blank, int64_t reduction, bool zero_infinity) {
  VITRO_CHECK(reduction >= reduce_none && reduction <= reduce_sum, op,
              ": reduction must be 0 (none), 1 (mean) or 2 (sum), got ", reduction);
  const Value wide = widened(op, given);
  const bool batched = wide.rank() != 2;
  Value out = losses(batched ? wide : column(wide), targets, input_lengths, target_lengths, blank);
  if (zero_infinity) out = ops::where(out == -least, 0, out);
  if (reduction == reduce_mean)
    out = mean(out / to(at_least(target_lengths.tensor, 1), out.dtype()));
  else if (reduction == reduce_sum)
    out = sum(out);
  else if (!batched)
    out = squeeze(out, 0);
  return to(out, given.operand.tensor().dtype());
}

}  // namespace

Tensor ctc_loss(ops::At log_probs, const Tensor& targets, DimsArg input_lengths,
                DimsArg target_lengths, int64_t blank, int64_t reduction, bool zero_infinity) {
  if (autocasts())
    return autocasted(
        "ctc_loss", [](const auto&... a) { return vitro::ctc_loss(a...); }, log_probs, targets,
        input_lengths, target_lengths, blank, reduction, zero_infinity);
  const CalledAs name(op, log_probs.where);
  const Device device = log_probs.operand.tensor().device();
  return loss(log_probs, targets, Lengths(input_lengths, device), Lengths(target_lengths, device),
              blank, reduction, zero_infinity);
}
Tensor ctc_loss(ops::At log_probs, const Tensor& targets, const Tensor& input_lengths,
                const Tensor& target_lengths, int64_t blank, int64_t reduction,
                bool zero_infinity) {
  if (autocasts())
    return autocasted(
        "ctc_loss", [](const auto&... a) { return vitro::ctc_loss(a...); }, log_probs, targets,
        input_lengths, target_lengths, blank, reduction, zero_infinity);
  const CalledAs name(op, log_probs.where);
  return loss(log_probs, targets, Lengths(input_lengths), Lengths(target_lengths), blank, reduction,
              zero_infinity);
}

}  // namespace vitro
