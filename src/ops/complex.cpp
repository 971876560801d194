#include "vitro/ops/complex.h"

#include "ops/autocast.h"
#include "ops/complex_parts.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/ops/create.h"
#include "vitro/ops/view.h"

namespace vitro {
namespace {

using ops::Parts;

void check_parts(std::string_view op, const Tensor& a, const Tensor& b) {
  VITRO_CHECK(a.dtype() == b.dtype() && (a.dtype() == DType::f32 || a.dtype() == DType::f64), op,
              ": takes two tensors of f32 or of f64, got ", a.dtype(), " and ", b.dtype(),
              "; cast them first");
}

}  // namespace

Tensor complex(ops::At re, const Tensor& im) {
  const CalledAs name("complex", re.where);
  const Tensor& x = re.operand.tensor();
  check_parts("complex", x, im);
  return joined(Parts{x, im});
}
Tensor polar(ops::At modulus, const Tensor& angle) {
  if (autocasts()) return autocasted("polar", &polar, modulus, angle);
  const CalledAs name("polar", modulus.where);
  const Tensor& r = modulus.operand.tensor();
  check_parts("polar", r, angle);
  return joined(ops::polar(r, angle));
}
Tensor view_as_complex(ops::At x) {
  if (autocasts()) return autocasted("view_as_complex", &view_as_complex, x);
  const CalledAs name("view_as_complex", x.where);
  return Tensor::of_pairs(x.operand.tensor());
}
Tensor view_as_real(ops::At x) {
  const CalledAs name("view_as_real", x.where);
  return x.operand.tensor().pairs();
}
Tensor real(ops::At x) {
  const CalledAs name("real", x.where);
  return ops::parts_of(x.operand.tensor()).re;
}
Tensor imag(ops::At x) {
  const CalledAs name("imag", x.where);
  VITRO_CHECK(x.operand.tensor().is_complex(), "imag: takes a complex tensor, got ",
              x.operand.tensor().dtype());
  return ops::parts_of(x.operand.tensor()).im;
}
Tensor conj(ops::At x) {
  const CalledAs name("conj", x.where);
  const Tensor& z = x.operand.tensor();
  if (!z.is_complex()) return z;
  const Parts parts = ops::parts_of(z);
  return joined(Parts{parts.re, -parts.im});
}

}  // namespace vitro
