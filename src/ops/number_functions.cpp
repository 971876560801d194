// Functions whose result is a number. In a compiled function a size, stride or offset is an
// expression over its symbols, and reading an element is a graph break.
#include "bind.h"
#include "functions.h"

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
};

}  // namespace

std::span<const NamedFunction> number_functions() {
  return rows;
}

}  // namespace vitro::ops
