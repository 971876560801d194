#include "eager/overlap.h"

namespace vitro::eager {
namespace {

struct Span {
  int64_t begin, end;  // bytes of the storage
};

Span span_of(const Tensor& t) {
  const TensorImpl& impl = *t.impl();
  int64_t low = impl.offset, high = impl.offset;
  for (size_t d = 0; d < impl.sizes.size(); ++d) {
    if (impl.sizes[d] == 0) return {0, 0};
    const int64_t reach = (impl.sizes[d] - 1) * impl.strides[d];
    (reach < 0 ? low : high) += reach;
  }
  const int64_t bytes = bytes_of(impl.dtype);
  return {low * bytes, (high + 1) * bytes};
}

// The same element at the same index; dimensions of size 1 do not count.
bool same_places(const TensorImpl& a, const TensorImpl& b) {
  if (a.dtype != b.dtype || a.offset != b.offset || !(a.sizes == b.sizes)) return false;
  for (size_t d = 0; d < a.sizes.size(); ++d) {
    if (a.sizes[d] != 1 && a.strides[d] != b.strides[d]) return false;
  }
  return true;
}

}  // namespace

bool must_copy(const Tensor& operand, const Tensor& target, bool elementwise) {
  if (!(operand.storage() == target.storage())) return false;
  const Span a = span_of(operand), b = span_of(target);
  if (a.end <= b.begin || b.end <= a.begin) return false;
  return !elementwise || !same_places(*operand.impl(), *target.impl());
}

}  // namespace vitro::eager
