// Complex numbers as two real tensors: what the rules of complex calls compute with.
#pragma once

#include "ops/value.h"
#include "vitro/core/op.h"

namespace vitro::ops {

struct Parts {
  Value re, im;  // of one real dtype, with sizes that broadcast; an undefined im is 0

  bool is_real() const { return !im.defined(); }
  Value imaginary() const;  // with zeros if there is none
};

// A complex tensor of these numbers; its elements are in the order in which those of the parts are.
Tensor joined(const Parts& z);
// The parts of a complex tensor, which share its memory; a real one has no imaginary part.
Parts parts_of(const Tensor& x);

Parts operator+(const Parts& a, const Parts& b);
Parts operator-(const Parts& a, const Parts& b);
Parts operator*(const Parts& a, const Parts& b);
Parts operator/(const Parts& a, const Parts& b);
Parts operator-(const Parts& z);
Parts operator*(const Parts& z, double number);

// Elementary functions: one for each that has a rule, by the principal branch. A real part stays
// exact where the imaginary one is 0 in the textbook's formula.
Value modulus(const Parts& z);
Value argument(const Parts& z);
Parts exp(const Parts& z);
Parts exp2(const Parts& z);
Parts expm1(const Parts& z);
Parts log(const Parts& z);
Parts log2(const Parts& z);
Parts log10(const Parts& z);
Parts log1p(const Parts& z);
Parts log_add_exp(const Parts& a, const Parts& b);  // log(e^a + e^b)
Parts sqrt(const Parts& z);
Parts rsqrt(const Parts& z);
Parts reciprocal(const Parts& z);
Parts sin(const Parts& z);
Parts cos(const Parts& z);
Parts tan(const Parts& z);
Parts sinh(const Parts& z);
Parts cosh(const Parts& z);
Parts tanh(const Parts& z);
Parts asin(const Parts& z);
Parts acos(const Parts& z);
Parts atan(const Parts& z);
Parts asinh(const Parts& z);
Parts acosh(const Parts& z);
Parts atanh(const Parts& z);
Parts sigmoid(const Parts& z);
Parts silu(const Parts& z);
Parts sign(const Parts& z);  // z / |z|, 0 at 0
Parts pow(const Parts& base, const Parts& exponent);
Parts polar(const Tensor& modulus, const Tensor& angle);

}  // namespace vitro::ops
