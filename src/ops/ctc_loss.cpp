// Connectionist temporal classification (Graves et al., 2006): the probability of a target, summed
// over all ways to spread its labels, with blanks between them, over the steps.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/numbers.h"
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

// The labels [n, longest]; 0 behind the last one of a row.
Value labels_of(const Tensor& targets, const Lengths& lengths, Size batch) {
  VITRO_CHECK(targets.rank() == 1 || targets.rank() == 2, op,
              ": targets must have rank 1 or 2, got sizes ", numbers_of(targets.sizes()));
  const bool joined = targets.rank() == 1;
  lengths.check("target_lengths", batch, targets.size(-1));
  const Value all = to(targets, DType::i64);
  if (!joined) {
    VITRO_CHECK(equal(targets.size(0), batch), op, ": targets have sizes ",
                numbers_of(targets.sizes()), " for ", number_of(batch), " rows");
    return narrow(all, 1, 0, lengths.longest());
  }
  const int64_t sum = std::accumulate(lengths.each.begin(), lengths.each.end(), int64_t{0});
  VITRO_CHECK(equal(targets.size(0), sum), op, ": target_lengths add up to ", sum, ", targets are ",
              number_of(targets.size(0)));
  const Value first = cumsum(lengths.tensor, 0) - lengths.tensor;
  const Value place = arange(lengths.longest(), DType::i64, targets.device());
  const Value inside = place < unsqueeze(lengths.tensor, 1);
  return take(all, ops::where(inside, unsqueeze(first, 1) + place, 0));
}

// A blank before, between and behind the labels: [n, 2 * longest + 1].
Value with_blanks(const Value& labels, int64_t blank) {
  const Size n = labels.size(0), longest = labels.size(1);
  const Value blanks = full_like(labels, blank);
  const Value pairs = reshape(stack({blanks, labels}, 2), {n, 2 * longest});
  return vitro::cat({pairs, full({n, 1}, blank, DType::i64, labels.device())}, 1);
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

// Behind `count` elements of -inf.
Value shifted(const Value& x, int64_t count) {
  const Value before = full({x.size(0), count}, least, x.dtype(), x.device());
  return vitro::cat({before, narrow(x, 1, 0, x.size(1) - count)}, 1);
}

// The logarithms of the probabilities of beginnings that end with each label: [n, steps, labels].
Value alphas(const Value& log_probs, const Value& labels, const Value& lengths) {
  const int64_t steps = log_probs.size(0).value();
  const Size n = labels.size(0), count = labels.size(1);
  const Value each = gather(log_probs, 2, expand(labels, {steps, n, count}));
  const Value place = arange(count, DType::i64, labels.device());
  const Value begins = (place < 2) & (place <= 2 * Value(unsqueeze(lengths, 1)));
  Value now = ops::where(begins, select(each, 0, 0), least), skips;
  const bool has_labels = count.value() > 1;
  if (has_labels)  // a blank between different labels may be left out
    skips = constant_pad_nd(narrow(labels, 1, 2, count - 2) != narrow(labels, 1, 0, count - 2),
                            {2, 0}, false);
  std::vector<Tensor> all{now};
  for (int64_t t = 1; t < steps; ++t) {
    if (has_labels)
      now = log_of_sum({now, shifted(now, 1), ops::where(skips, shifted(now, 2), least)});
    now = now + select(each, 0, t);
    all.push_back(now);
  }
  return stack(all, 1);
}

// ATen's gradient is that of a softmax before: e^x is added to the gradient of x. This is 0, with
// that gradient.
Value as_of_softmax(const Value& log_probs, const Value& lengths) {
  const Value step = unsqueeze(arange(log_probs.size(0), DType::i64, log_probs.device()), 1);
  const Value sums = sum(ops::where(step < lengths, sum(exp(log_probs), {2}), 0), {0});
  return sums - detach(sums);
}

// Of each row of the batch.
Value losses(const At& log_probs, const Tensor& targets, const Lengths& input_lengths,
             const Lengths& target_lengths, int64_t blank) {
  const Value x = widened(op, log_probs);
  VITRO_CHECK(x.rank() == 3 && !equal(x.numel(), 0), op,
              ": needs log_probs [steps, batch, classes] with elements, got sizes ",
              numbers_of(x.sizes()));
  VITRO_CHECK(blank >= 0 && less(blank, x.size(2)), op, ": blank must be one of ",
              number_of(x.size(2)), " classes, got ", blank);
  input_lengths.check("input_lengths", x.size(1), x.size(0));
  const Value labels = with_blanks(labels_of(targets, target_lengths, x.size(1)), blank);
  const Value steps = input_lengths.tensor, ends = unsqueeze(target_lengths.tensor * 2, 1);
  const Value alpha = alphas(x, labels, target_lengths.tensor);
  const Value last = reshape(clamp(steps - 1, 0), {-1, 1, 1});
  const Value at_last = squeeze(gather(alpha, 1, expand(last, {-1, 1, alpha.size(2)})), 1);
  const Value on_blank = gather(at_last, 1, ends),
              on_label = gather(at_last, 1, clamp(ends - 1, 0));
  const Value whole = log_of_sum({on_blank, ops::where(ends == 0, least, on_label)});
  const Value without = ops::where(ends == 0, 0, full({}, least, x.dtype(), x.device()));
  const Value found = ops::where(unsqueeze(steps == 0, 1), without, whole);
  return as_of_softmax(x, steps) - squeeze(found, 1);
}

Tensor loss(const At& given, const Tensor& targets, const Lengths& input_lengths,
            const Lengths& target_lengths, int64_t blank, int64_t reduction, bool zero_infinity) {
  VITRO_CHECK(reduction >= reduce_none && reduction <= reduce_sum, op,
              ": reduction must be 0 (none), 1 (mean) or 2 (sum), got ", reduction);
  const Tensor& t = given.operand.tensor();
  const bool batched = t.rank() != 2;
  const Tensor x = batched ? t : unsqueeze(given, 1);
  Value out = losses({x, given.where}, targets, input_lengths, target_lengths, blank);
  if (zero_infinity) out = ops::where(out == -least, 0, out);
  if (reduction == reduce_mean)
    out = mean(out / to(clamp(target_lengths.tensor, 1), out.dtype()));
  else if (reduction == reduce_sum)
    out = sum(out);
  else if (!batched)
    out = squeeze(out, 0);
  return to(out, t.dtype());
}

}  // namespace

Tensor ctc_loss(ops::At log_probs, const Tensor& targets, DimsArg input_lengths,
                DimsArg target_lengths, int64_t blank, int64_t reduction, bool zero_infinity) {
  const CalledAs name(op, log_probs.where);
  const Device device = log_probs.operand.tensor().device();
  return loss(log_probs, targets, Lengths(input_lengths, device), Lengths(target_lengths, device),
              blank, reduction, zero_infinity);
}
Tensor ctc_loss(ops::At log_probs, const Tensor& targets, const Tensor& input_lengths,
                const Tensor& target_lengths, int64_t blank, int64_t reduction,
                bool zero_infinity) {
  const CalledAs name(op, log_probs.where);
  return loss(log_probs, targets, Lengths(input_lengths), Lengths(target_lengths), blank, reduction,
              zero_infinity);
}

}  // namespace vitro
