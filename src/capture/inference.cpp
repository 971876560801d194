// What a recorded op is answered with: the shape rule runs on sizes with symbols, and every
// question that it asks, and two more, become guards of the node.
#include "capture/inference.h"

#include <algorithm>
#include <limits>

#include "capture/held.h"
#include "vitro/core/interpreter.h"
#include "vitro/ops/shapes.h"

namespace vitro::capture {
namespace {

// Where 0 cannot be put in for an expression that is 0 in this call, its symbols are held.
void hold_at_zero(sym::Expr e) {
  const sym::Guard is_zero[] = {{sym::Guard::Question::equal, e, 0, true}};
  if (Held(is_zero)(e).is(0)) return;
  for (const sym::Expr symbol : sym::symbols_of(e)) (void)int64_t(ops::this_run(symbol));
}

// Whether `guard` says a < b, and `size` is b - a.
bool is_distance(const sym::Guard& guard, sym::Expr size) {
  if (guard.question != sym::Guard::Question::less || !guard.answer) return false;
  try {
    return guard.b - guard.a == size;
  } catch (const sym::Overflow&) {  // no size is as large
    return false;
  }
}

// Where a size of a result could be 0 in another call, that is asked too: tensors without elements
// have strides and reductions of their own.
void ask_for_elements(std::vector<TensorMeta>& results, const sym::GuardSink& asked) {
  const auto follows = [&](sym::Expr size) {
    return std::ranges::any_of(asked.guards(),
                               [&](const sym::Guard& g) { return is_distance(g, size); });
  };
  for (TensorMeta& meta : results) {
    const bool dense = attribute::same(meta.strides, contiguous_strides(meta.sizes));
    for (Size& s : meta.sizes) {
      // Programs with sizes that data decide are for tensors without elements too.
      if (!s.is_symbolic() || sym::is_data(s.expr())) continue;
      if (follows(s.expr()) || less(0, s) || !equal(s, 0)) continue;
      hold_at_zero(s.expr());
      s = 0;
      if (dense) meta.strides = contiguous_strides(meta.sizes);
    }
  }
}

// The number of elements as far as it differs from call to call, and bytes for each of those.
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

// The bytes of a result can be counted in this call; where they could not be in another one, that
// is asked too.  Nothing is asked of one symbol, and of what takes no more than an operand.
void ask_whether_countable(const TensorMeta& meta, std::span<const Operand> operands) {
  try {
    const Varying result = varying_part(meta);
    if (!result.count.is_symbolic() || result.bytes == 0) return;
    const int64_t most = std::numeric_limits<int64_t>::max() / result.bytes;
    const sym::Expr count = result.count.expr();
    if (sym::is_data(count)) return;  // counted when it is known
    if (sym::range_of(count).high <= most) return;
    const auto takes_as_much = [&](const Operand& operand) {
      if (!operand.is_tensor()) return false;
      const Varying own = varying_part(operand.tensor().rule_meta());
      return own.bytes >= result.bytes && !sym::prove_less(own.count.expr(), count).value_or(true);
    };
    if (std::ranges::any_of(operands, takes_as_much)) return;
    // One bound for all dtypes and factors, where it is low enough for this one.
    const bool usual = sym::largest_size <= most && result.count.hint() <= sym::largest_size;
    (void)less(usual ? sym::largest_size : most, result.count);
  } catch (const sym::Overflow&) {  // the question cannot be asked of all sizes at once
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
