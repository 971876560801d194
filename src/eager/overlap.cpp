#include "eager/overlap.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "runtime/copy_bytes.h"
#include "vitro/core/reach.h"
#include "vitro/runtime/copy.h"

namespace vitro::eager {
namespace {

// Returns whether each index has the same address in both; strides of size-1 dimensions do not
// matter.
bool same_places(const TensorImpl& a, const TensorImpl& b) {
  if (a.dtype != b.dtype || a.offset != b.offset || !(a.sizes == b.sizes)) return false;
  for (size_t d = 0; d < a.sizes.size(); ++d) {
    if (a.sizes[d] != 1 && a.strides[d] != b.strides[d]) return false;
  }
  return true;
}

// Threads of a device write in no particular order, so the host writes a copy of the target's
// memory, which keeps the bytes between elements, and copies it back.
void copy_in_order_by_host(const Tensor& from, const Tensor& to) {
  const Tensor here = vitro::to(to, cpu);
  copy_in_order(vitro::to(from, cpu), here);
  const TensorImpl& target = *to.impl();
  const Reach reach = reach_of(target);
  runtime::copy_bytes(target.device, static_cast<std::byte*>(target.storage.data()) + reach.begin,
                      cpu, here.storage().data(), static_cast<size_t>(reach.end - reach.begin));
}

}  // namespace

bool must_copy(const Tensor& operand, const Tensor& target, bool elementwise) {
  if (!may_share_memory(*operand.impl(), *target.impl())) return false;
  return !elementwise || !same_places(*operand.impl(), *target.impl());
}

bool may_cover_itself(const Tensor& t) {
  const TensorImpl& impl = *t.impl();
  struct Dim {
    int64_t stride, size;
  };
  SmallVector<Dim, 6> dims;
  for (size_t d = 0; d < impl.sizes.size(); ++d) {
    if (impl.sizes[d] == 0) return false;
    if (impl.sizes[d] > 1) dims.push_back({std::abs(impl.strides[d]), impl.sizes[d]});
  }
  std::sort(dims.begin(), dims.end(), [](Dim a, Dim b) { return a.stride < b.stride; });
  int64_t reach = 0;
  for (const auto& [stride, size] : dims) {
    if (stride <= reach) return true;
    reach += (size - 1) * stride;
  }
  return false;
}

void copy_in_order(const Tensor& from, const Tensor& to) {
  if (to.device() != cpu) return copy_in_order_by_host(from, to);
  const TensorImpl &a = *from.impl(), &b = *to.impl();
  const auto bytes = static_cast<int64_t>(bytes_of(b.dtype));
  const auto* source = static_cast<const std::byte*>(a.storage.data()) + a.offset * bytes;
  auto* target = static_cast<std::byte*>(b.storage.data()) + b.offset * bytes;
  const int64_t count = from.numel().hint();
  for (int64_t n = 0; n < count; ++n) {
    int64_t rest = n, at = 0, to_at = 0;
    for (size_t d = b.sizes.size(); d-- > 0; rest /= b.sizes[d]) {
      at += rest % b.sizes[d] * a.strides[d];
      to_at += rest % b.sizes[d] * b.strides[d];
    }
    std::memcpy(target + to_at * bytes, source + at * bytes, static_cast<size_t>(bytes));
  }
}

}  // namespace vitro::eager
