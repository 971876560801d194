#include "vitro/core/scalar.h"

#include "vitro/base/cat.h"

namespace vitro {

DType Scalar::dtype() const {
  switch (kind_) {
    case Kind::boolean:
      return DType::boolean;
    case Kind::integer:
      return DType::i64;
    case Kind::floating:
      return DType::f64;
  }
  __builtin_unreachable();
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
  }
}

void add_to(Hasher& hasher, const Scalar& scalar) {
  hasher.add(scalar.kind());
  if (scalar.is_symbolic()) {
    hasher.add(scalar.expr().text());
  } else {
    hasher.add(scalar.bits());
  }
}

}  // namespace vitro
