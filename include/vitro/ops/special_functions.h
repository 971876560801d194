// Special functions: Bessel's, Airy's, those of the normal distribution, and derivatives of lgamma.
//   Tensor y = i0(x);   Tensor z = special_ndtri(p);   Tensor d = polygamma(2, x);
// They are compositions of polynomials (tools/make_special_tables.py) and elementary functions, so
// that they are fused and have gradients. They are computed in f64 and rounded once; integers give
// f32.
#pragma once

#include "vitro/ops/define.h"

namespace vitro {

// The modified Bessel functions I of orders 0 and 1; those with e are e^-|x| times them.
Tensor i0(ops::At x);
Tensor special_i0e(ops::At x);
Tensor special_i1(ops::At x);
Tensor special_i1e(ops::At x);
// The modified Bessel functions K, infinite at 0, NaN below; the scaled ones are e^x times them.
Tensor special_modified_bessel_k0(ops::At x);
Tensor special_modified_bessel_k1(ops::At x);
Tensor special_scaled_modified_bessel_k0(ops::At x);
Tensor special_scaled_modified_bessel_k1(ops::At x);
// The Bessel functions J and Y; Y is -infinity at 0, NaN below. sin(x) / x.
Tensor special_bessel_j0(ops::At x);
Tensor special_bessel_j1(ops::At x);
Tensor special_bessel_y0(ops::At x);
Tensor special_bessel_y1(ops::At x);
Tensor special_spherical_bessel_j0(ops::At x);
Tensor special_airy_ai(ops::At x);

Tensor special_erfcx(ops::At x);     // e^(x^2) erfc(x)
Tensor special_ndtri(ops::At p);     // the x with a part p of the normal distribution below it
Tensor special_log_ndtr(ops::At x);  // the logarithm of the part below x

// The derivative of order n of digamma; n >= 0.
Tensor polygamma(int64_t n, ops::At x);
// The logarithm of the multivariate gamma function: the sum of lgamma(x - k / 2) for k < p, and
// p (p - 1) / 4 log(pi); p >= 1.
Tensor mvlgamma(ops::At x, int64_t p);

}  // namespace vitro
