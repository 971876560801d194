#include "eager/overlap.h"

#include "vitro/core/reach.h"

namespace vitro::eager {
namespace {

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
  const Reach a = reach_of(*operand.impl()), b = reach_of(*target.impl());
  if (a.end <= b.begin || b.end <= a.begin) return false;
  return !elementwise || !same_places(*operand.impl(), *target.impl());
}

}  // namespace vitro::eager
