// Choosing the arguments of a step among the variables: building blocks of the table of kinds. All
// return false if nothing fits.
#pragma once

#include <algorithm>
#include <type_traits>

#include "program.h"

namespace vitro::fuzz {

using Fits = bool (*)(const Tensor& t);
bool anything(const Tensor& t);
bool is_float(const Tensor& t);
bool is_integral(const Tensor& t);
bool is_number(const Tensor& t);
bool is_condition(const Tensor& t);
bool is_index(const Tensor& t);
bool has_dims(const Tensor& t);
bool has_elements(const Tensor& t);
bool writable(const Tensor& t);    // ops may write into it: no dimension repeats the same elements
bool no_overlap(const Tensor& t);  // no two of its elements share memory
bool broadcasts(const Tensor& a, const Tensor& b);
bool broadcasts_to(const Tensor& small, const Tensor& large);

// Picks a variable that fits; later variables are more likely.
template <class F>
bool pick(Random& random, const Variables& all, Step& step, F fits) {
  for (int tries = 0; tries < 12; ++tries) {
    const size_t at = std::max(below(random, all.size()), below(random, all.size()));
    if (all[at].numel().value() > random.most_elements || !fits(all[at])) continue;
    if constexpr (std::is_convertible_v<F, Fits>) {
      if (!random.writes_overlaps && Fits(fits) == &writable && !no_overlap(all[at])) continue;
    }
    step.args.push_back({Arg::Kind::variable, false, at, {}});
    return true;
  }
  return false;
}
const Tensor& chosen(const Variables& all, const Step& step, size_t arg = 0);

// A boolean, integer or floating-point number, sometimes an awkward one.
Arg random_number(Random& random);
bool number(Random& random, Step& step);

template <Fits fits>
bool one(Random& random, const Variables& all, Step& step) {
  return pick(random, all, step, fits);
}
template <Fits fits, Fits other>
bool two(Random& random, const Variables& all, Step& step) {
  return pick(random, all, step, fits) && pick(random, all, step, other);
}
// One variable and one of its dimensions.
template <Fits fits>
bool dim(Random& random, const Variables& all, Step& step) {
  if (!pick(random, all, step, [](const Tensor& t) { return has_dims(t) && fits(t); }))
    return false;
  const int64_t rank = chosen(all, step).rank();
  step.ints.push_back(static_cast<int64_t>(below(random, static_cast<size_t>(2 * rank))) - rank);
  return true;
}
// One variable, and `count` integers in [low, high].
template <Fits fits, int low, int high, int count = 1>
bool ints(Random& random, const Variables& all, Step& step) {
  for (int k = 0; k < count; ++k)
    step.ints.push_back(low + static_cast<int64_t>(below(random, high - low + 1)));
  return pick(random, all, step, fits);
}
template <Fits fits, int low, int high, int count = 1>
bool dim_ints(Random& random, const Variables& all, Step& step) {
  if (!dim<fits>(random, all, step)) return false;
  for (int k = 0; k < count; ++k)
    step.ints.push_back(low + static_cast<int64_t>(below(random, high - low + 1)));
  return true;
}

}  // namespace vitro::fuzz
