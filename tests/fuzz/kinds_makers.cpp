#include "kinds.h"

namespace vitro::fuzz {
namespace {

bool with_number(Random& random, const Variables& all, Step& step) {
  return pick(random, all, step, anything) && number(random, step);
}

bool with_dtype(Random& random, const Variables& all, Step& step) {
  step.ints.push_back(static_cast<int64_t>(below(random, dtype_count)));
  return with_number(random, all, step);
}

bool with_numbers(Random& random, const Variables& all, Step& step) {
  return with_number(random, all, step) && number(random, step);
}

bool pair_and_number(Random& random, const Variables& all, Step& step) {
  if (!pick(random, all, step, anything)) return false;
  const Tensor& first = chosen(all, step);
  return pick(random, all, step, [&](const Tensor& t) { return broadcasts(first, t); }) &&
         number(random, step);
}

bool written_pair(Random& random, const Variables& all, Step& step) {
  if (!pick(random, all, step, writable)) return false;
  const Tensor& first = chosen(all, step);
  return pick(random, all, step, [&](const Tensor& t) { return broadcasts_to(t, first); });
}

bool masked(Random& random, const Variables& all, Step& step) {
  if (!pick(random, all, step, writable)) return false;
  const Tensor& first = chosen(all, step);
  return pick(random, all, step,
              [&](const Tensor& t) { return is_condition(t) && broadcasts_to(t, first); }) &&
         number(random, step);
}

bool written_number(Random& random, const Variables& all, Step& step) {
  return pick(random, all, step, writable) && number(random, step);
}

bool dtype_alone(Random& random, const Variables&, Step& step) {
  static constexpr int64_t ends[] = {0, 1, 4, 6, 17};
  step.ints = {static_cast<int64_t>(below(random, dtype_count)), ends[below(random, 5)]};
  return number(random, step);
}

}  // namespace

void add_makers(Kinds& all) {
  const Kind rows[] = {
      KIND("to", 20, with_dtype, to(x(0), d(0))),
      KIND("clone", 3, one<anything>, clone(x(0))),
      KIND("clone dense", 2, one<anything>, clone(x(0), ops::MemoryFormat::contiguous)),
      KIND("contiguous", 2, one<anything>, contiguous(x(0))),
      KIND("full", 2, dtype_alone, full({i(1), 2}, n(0), d(0))),
      KIND("full of a size", 2, with_dtype, full({x(0).numel(), 2}, n(1), d(0))),
      KIND("scalar_tensor", 1, dtype_alone, scalar_tensor(n(0), d(0))),
      KIND("full_like", 2, with_number, full_like(x(0), n(1))),
      KIND("full_like to", 2, with_dtype, full_like(x(0), n(1), d(0))),
      KIND("zeros_like", 1, one<anything>, zeros_like(x(0))),
      KIND("ones_like", 1, one<anything>, ones_like(x(0))),
      KIND("zeros", 1, dtype_alone, zeros({i(1)}, d(0))),
      KIND("ones", 1, dtype_alone, ones({3, i(1)}, d(0))),
      KIND("arange", 2, (dim_ints<anything, -2, 3, 1>), arange(i(1), x(0).size(i(0)) * 2)),
      KIND("arange by", 2, (ints<anything, 1, 3>), arange(x(0).numel(), -4, -i(0))),
      KIND("arange fractions", 1, (dim_ints<anything, 1, 5>),
           arange(0.5, x(0).size(i(0)), 0.25 * f(1))),
      KIND("tril", 3, (ints<anything, -2, 2>), tril(x(0), i(0))),
      KIND("triu", 3, (ints<anything, -2, 2>), triu(x(0), i(0))),
      KIND("gelu", 3, one<is_float>, gelu(x(0))),
      KIND("gelu tanh", 3, one<is_float>, gelu(x(0), "tanh")),
      KIND("add alpha", 3, pair_and_number, add(x(0), x(1), n(2))),
      KIND("sub alpha", 2, pair_and_number, sub(x(0), x(1), n(2))),
      KIND("div floor", 2, pair_and_number, div(to(x(0), DType::f32), x(1), "floor")),
      KIND("div trunc", 2, pair_and_number, div(to(x(0), DType::f64), x(1), "trunc")),
      KIND("pow number", 4, with_number, pow(x(0), n(1))),
      KIND("square", 2, one<anything>, square(x(0))),
      KIND("clamp below", 2, with_number, clamp(x(0), n(1))),
      KIND("clamp above", 2, with_number, clamp(x(0), {}, n(1))),
      KIND("clamp between", 2, with_numbers, clamp(x(0), n(1), n(2))),
      KIND("masked_fill", 6, masked, masked_fill(x(0), x(1), n(2))),
      KIND("where number", 5, masked, where(x(1), x(0), n(2))),
      KIND("masked_fill_", 6, masked, masked_fill_(x(0), x(1), n(2))),
      KIND("fill_", 3, written_number, fill_(x(0), n(1))),
      KIND("zero_", 2, one<writable>, zero_(x(0))),
      KIND("copy_", 6, written_pair, copy_(x(0), x(1))),
      KIND("copy_ to half", 3, one<writable>,
           copy_(slice(flatten(x(0)), 0, 0, x(0).numel() / 2), 2)),
      KIND("add_ to a row", 3, one<has_dims>, add_(select(x(0), 0, -1), 1)),
  };
  all.insert(all.end(), std::begin(rows), std::end(rows));
}

}  // namespace vitro::fuzz
