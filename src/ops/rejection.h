// Random numbers that need a varying number of uniform ones: each is drawn by trials, of which the
// first that is accepted counts (W. Hörmann, "The transformed rejection method for generating
// Poisson random variables" and "The generation of binomial random variates", both 1993).
#pragma once

#include "vitro/base/function_ref.h"

namespace vitro::ops {

// The next number, uniform in [0, 1).
using Units = FunctionRef<double()>;

// The number of events where `rate` are expected. Error if it is negative or NaN.
double poisson_number(double rate, Units unit);
// The number of successes of `count` trials, each with the probability p. As in PyTorch 0 if count
// or p is negative, count if p is above 1, NaN if p is NaN; NaN too if count is not finite.
// in_single: how many are expected is rounded to f32 before it decides about the method, as in
// PyTorch for f32.
double binomial_number(double count, double p, bool in_single, Units unit);

}  // namespace vitro::ops
