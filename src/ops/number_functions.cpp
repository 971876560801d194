// Functions whose result is a number. In a compiled function a size, stride or offset is an
// expression over its symbols, and reading an element is a graph break.
#include "bind.h"
#include "functions.h"
#include "vitro/base/called_as.h"
#include "vitro/ops/arithmetic.h"
#include "vitro/ops/choose.h"
#include "vitro/ops/reduce.h"

namespace vitro::ops {
namespace {

Size sym_size(At x, int64_t dim) {
  const Tensor& t = x.operand.tensor();
  return t.size(wrap_dim("sym_size", dim, t.rank()));
}
Size sym_stride(At x, int64_t dim) {
  const Tensor& t = x.operand.tensor();
  return t.strides()[static_cast<size_t>(wrap_dim("sym_stride", dim, t.rank()))];
}
Size sym_numel(At x) {
  return x.operand.tensor().numel();
}
Size sym_storage_offset(At x) {
  return x.operand.tensor().meta().offset;
}
Scalar local_scalar_dense(At x) {
  return x.operand.tensor().item(x.where);
}
Scalar is_nonzero(At x) {
  return x.operand.tensor().item(x.where).as_bool();
}
Scalar is_same_size(At x, const Tensor& other) {
  return equal_sizes(x.operand.tensor().sizes(), other.sizes());
}
bool holds_everywhere(const At& x, const Tensor& truths) {
  return all({truths, x.where}).item<bool>(x.where);
}
Scalar equal_tensors(At x, const Tensor& other) {
  return vitro::equal(x, other);
}
Scalar all_close(At x, const Tensor& other, double rtol, double atol, bool equal_nan) {
  return vitro::allclose(x, other, rtol, atol, equal_nan);
}

constexpr NamedFunction rows[] = {
    {"sym_size", "The size of a dimension.", ".int(Tensor self, int dim) -> SymInt",
     bound<&sym_size>},
    {"sym_stride", "The stride of a dimension, in elements.",
     ".int(Tensor self, int dim) -> SymInt", bound<&sym_stride>},
    {"sym_numel", "The number of elements.", "(Tensor self) -> SymInt", bound<&sym_numel>},
    {"sym_storage_offset", "The number of elements in memory before the first one.",
     "(Tensor self) -> SymInt", bound<&sym_storage_offset>},
    {"_local_scalar_dense", "The only element, as a number.", "(Tensor self) -> Scalar",
     bound<&local_scalar_dense>},
    {"item", "The only element, as a number.", "(Tensor self) -> Scalar",
     bound<&local_scalar_dense>},
    {"is_nonzero", "Whether the only element is not 0.", "(Tensor self) -> bool",
     bound<&is_nonzero>},
    {"is_same_size", "Whether both have the same sizes.", "(Tensor self, Tensor other) -> bool",
     bound<&is_same_size>},
    {"equal", "Whether both have the same sizes and equal elements.",
     "(Tensor self, Tensor other) -> bool", bound<&equal_tensors>},
    {"allclose", "Whether all |x - other| <= atol + rtol * |other|.",
     "(Tensor self, Tensor other, float rtol=1.0000000000000001e-05, float "
     "atol=1e-08, bool equal_nan=False) -> bool",
     bound<&all_close>},
};

}  // namespace

std::span<const NamedFunction> number_functions() {
  return rows;
}

}  // namespace vitro::ops

namespace vitro {

bool equal(ops::At x, const Tensor& other) {
  const CalledAs name("equal", x.where);
  return ops::equal_sizes(x.operand.tensor().sizes(), other.sizes()) &&
         ops::holds_everywhere(x, eq({x.operand.tensor(), x.where}, other));
}
bool allclose(ops::At x, const Tensor& other, double rtol, double atol, bool equal_nan) {
  const CalledAs name("allclose", x.where);
  return ops::holds_everywhere(x, isclose(x, other, rtol, atol, equal_nan));
}

}  // namespace vitro
