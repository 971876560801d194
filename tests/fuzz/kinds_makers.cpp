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

}  // namespace

void add_makers(Kinds& all) {
  const Kind rows[] = {
      KIND("to", 20, with_dtype, to(x(0), d(0))),
      KIND("full of a size", 2, with_dtype, full({x(0).numel(), 2}, n(1), d(0))),
      KIND("arange", 2, (dim_ints<anything, -2, 3, 1>), arange(i(1), x(0).size(i(0)) * 2)),
      KIND("arange by", 2, (ints<anything, 1, 3>), arange(x(0).numel(), -4, -i(0))),
      KIND("arange fractions", 1, (dim_ints<anything, 1, 5>),
           arange(0.5, x(0).size(i(0)), 0.25 * f(1))),
      KIND("div floor", 2, pair_and_number, div(to(x(0), DType::f32), x(1), "floor")),
      KIND("div trunc", 2, pair_and_number, div(to(x(0), DType::f64), x(1), "trunc")),
      KIND("pow number", 4, with_number, pow(x(0), n(1))),
      KIND("masked_fill", 6, masked, masked_fill(x(0), x(1), n(2))),
      KIND("where number", 5, masked, where(x(1), x(0), n(2))),
      KIND("masked_fill_", 6, masked, masked_fill_(x(0), x(1), n(2))),
      KIND("copy_", 6, written_pair, copy_(x(0), x(1))),
      KIND("copy_ to half", 3, one<writable>,
           copy_(slice(flatten(x(0)), 0, 0, x(0).numel() / 2), 2)),
      KIND("add_ to a row", 3, one<has_dims>, add_(select(x(0), 0, -1), 1)),
  };
  all.insert(all.end(), std::begin(rows), std::end(rows));
}

}  // namespace vitro::fuzz
