// Computes the results of a recorded op: runs the shape rule on symbolic sizes and records every
// question it asks, and two more, as guards of the node.
#include "capture/inference.h"

#include <algorithm>
#include <limits>

#include "capture/known_values.h"
#include "vitro/core/interpreter.h"
#include "vitro/ops/shapes.h"

namespace vitro::capture {
namespace {

// Lets KnownValues substitute 0 for `e`, which is 0 in this call: if it cannot do so from e == 0
// alone, the symbols of `e` are fixed to their values.
void hold_at_zero(sym::Expr e) {
  const sym::Guard is_zero[] = {{sym::Guard::Question::equal, e, 0, true}};
  if (KnownValues(is_zero)(e).is(0)) return;
  for (const sym::Expr symbol : sym::symbols_of(e)) (void)int64_t(ops::this_run(symbol));
}

// Whether `guard` is a < b with b - a == `size`.
bool is_distance(const sym::Guard& guard, sym::Expr size) {
  if (guard.question != sym::Guard::Question::less || !guard.answer) return false;
  try {
    return guard.b - guard.a == size;
  } catch (const sym::Overflow&) {  // out of the range of sizes
    return false;
  }
}

// Adds a guard on whether a result's size is 0 if it could be in another call: tensors without
// elements have their own strides and reductions.
void ask_for_elements(std::vector<TensorMeta>& results, const sym::GuardSink& asked) {
  const auto follows = [&](sym::Expr size) {
    return std::ranges::any_of(asked.guards(),
                               [&](const sym::Guard& g) { return is_distance(g, size); });
  };
  for (TensorMeta& meta : results) {
    const bool dense = attribute::same(meta.strides, contiguous_strides(meta.sizes));
    for (Size& s : meta.sizes) {
      // Programs with data sizes also handle tensors without elements.
      if (!s.is_symbolic() || sym::is_data(s.expr())) continue;
      if (follows(s.expr()) || less(0, s) || !equal(s, 0)) continue;
      hold_at_zero(s.expr());
      s = 0;
      if (dense) meta.strides = contiguous_strides(meta.sizes);
    }
  }
}

// The symbolic factors of the element count, and the bytes per unit of it.
struct Varying {
  Size count = 1;
  int64_t bytes = 1;
};
Varying varying_part(const TensorMeta& meta) {
  if (std::ranges::any_of(meta.sizes, [](Size s) { return s.hint() == 0; })) return {1, 0};
  Varying out{1, bytes_of(meta.dtype)};
  for (const Size s : meta.sizes) {
    if (s.is_symbolic()) {
      out.count = out.count * s;
    } else {
      out.bytes *= s.hint();
    }
  }
  return out;
}

// Adds a guard against overflow of a result's byte count in other calls.  None is needed for a
// single symbol, or for a result that is not larger than an operand.
void ask_whether_countable(const TensorMeta& meta, std::span<const Operand> operands) {
  try {
    const Varying result = varying_part(meta);
    if (!result.count.is_symbolic() || result.bytes == 0) return;
    const int64_t most = std::numeric_limits<int64_t>::max() / result.bytes;
    const sym::Expr count = result.count.expr();
    if (sym::is_data(count)) return;  // checked once it is known
    if (sym::range_of(count).high <= most) return;
    const auto takes_as_much = [&](const Operand& operand) {
      if (!operand.is_tensor()) return false;
      const Varying own = varying_part(operand.tensor().rule_meta());
      return own.bytes >= result.bytes && !sym::prove_less(own.count.expr(), count).value_or(true);
    };
    if (std::ranges::any_of(operands, takes_as_much)) return;
    // The same bound for all dtypes and factors, if it is low enough here.
    const bool usual = sym::largest_size <= most && result.count.hint() <= sym::largest_size;
    (void)less(usual ? sym::largest_size : most, result.count);
  } catch (const sym::Overflow&) {  // cannot be expressed for all sizes: fix them
    for (const Size s : meta.sizes) (void)s.value();
  }
}

}  // namespace

Inferred infer_with_guards(const OpDef& op, std::span<const Operand> operands, AttrsView attrs) {
  Inferred out;
  sym::GuardSink sink;
  out.results = infer(op, operands, attrs);
  ask_for_elements(out.results, sink);
  for (const TensorMeta& meta : out.results) ask_whether_countable(meta, operands);
  out.guards = sink.take();
  return out;
}

}  // namespace vitro::capture
