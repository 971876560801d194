#include "vitro/core/scalar.h"

#include <cmath>

#include "vitro/base/called_as.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"

namespace vitro {

DType Scalar::dtype() const {
  switch (kind_) {
    case Kind::boolean:
      return DType::boolean;
    case Kind::integer:
      return DType::i64;
    case Kind::floating:
      return DType::f64;
    case Kind::complex:
      return DType::c128;
  }
  __builtin_unreachable();
}

namespace {

std::string text_of_complex(std::complex<double> v) {
  return cat(v.real(), std::signbit(v.imag()) ? "" : "+", v.imag(), 'j');
}

}  // namespace

void Scalar::refuse_as_real() const {
  const std::string_view op = CalledAs::current().name;
  throw_error(
      cat(op, op.empty() ? "" : ": ", "a real number is needed, got the complex number ", *this));
}

void append_to(std::string& out, const Scalar& scalar) {
  if (scalar.is_symbolic()) return append_to(out, scalar.expr());
  switch (scalar.kind()) {
    case Scalar::Kind::boolean:
      return append_to(out, scalar.as_bool());
    case Scalar::Kind::integer:
      return append_to(out, scalar.as_int());
    case Scalar::Kind::floating:
      return append_to(out, scalar.as_double());
    case Scalar::Kind::complex:
      return out.append(text_of_complex(scalar.as_complex())), void();
  }
}

void add_to(Hasher& hasher, const Scalar& scalar) {
  hasher.add(scalar.kind());
  if (scalar.is_symbolic()) {
    hasher.add(scalar.expr().text());
  } else {
    hasher.add(scalar.bits());
    if (scalar.is_complex()) hasher.add(Scalar(scalar.as_complex().imag()).bits());
  }
}

}  // namespace vitro
