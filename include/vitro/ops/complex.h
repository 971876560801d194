// Complex tensors: made of real ones, and taken apart. They have the dtypes c64 and c128; sums,
// products, elementary functions, views and the like (add, exp, mm, permute) take them as they take
// real tensors, and promote as in PyTorch. Ops that are not defined for complex numbers (floor, lt,
// sort) refuse them.
//   Tensor z = complex(x, y);                        // x + iy
//   Tensor w = z * std::complex(0.0, 1.0);   abs(w);   real(w);
// Nothing below this knows complex numbers: each call becomes calls on pairs of real ones, which
// compiled functions fuse and gradients go through. The gradient of a complex tensor is that of its
// pairs, a complex tensor of the derivatives by the real and by the imaginary parts.
#pragma once

#include <complex>

#include "vitro/ops/define.h"

namespace vitro {

// Of two real tensors, f32 or f64; sizes broadcast.
Tensor complex(ops::At re, const Tensor& im);
Tensor polar(ops::At modulus, const Tensor& angle);
// The same memory: pairs [..., 2] as numbers [...], and back.
Tensor view_as_complex(ops::At x);
Tensor view_as_real(ops::At x);
// Views of the parts of a complex tensor. real() of a real tensor is the tensor itself.
Tensor real(ops::At x);
Tensor imag(ops::At x);
// With the imaginary part negated, in new memory; a real tensor itself. (PyTorch's conj is a view
// with a flag: its conj_physical.)
Tensor conj(ops::At x);

}  // namespace vitro
