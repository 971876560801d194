#include "capture/layout.h"

#include <cstring>

#include "vitro/base/error.h"
#include "vitro/core/interpreter.h"
#include "vitro/ops/create.h"

namespace vitro::capture {

namespace {

// Whether the elements are contiguous in some dimension order.
bool is_dense(const TensorImpl& t, int64_t count) {
  int64_t last = 0;
  for (size_t d = 0; d < t.sizes.size(); ++d) last += (t.sizes[d] - 1) * t.strides[d];
  return last + 1 == count;
}

}  // namespace

void copy_elements(const Tensor& from, const Tensor& to) {
  const TensorImpl &a = *from.impl(), &b = *to.impl();
  VITRO_ASSERT(a.dtype == b.dtype && a.sizes == b.sizes, "copies keep dtype and sizes");
  if (b.device != cpu) {
    const UsingStack eager(nullptr);
    copy_(to, from);
    return;
  }
  const auto bytes = static_cast<size_t>(bytes_of(a.dtype));
  const auto* source = static_cast<const std::byte*>(a.storage.data()) + a.offset * bytes;
  auto* target = static_cast<std::byte*>(b.storage.data()) + b.offset * bytes;
  if (a.strides == b.strides && is_dense(a, from.numel().hint())) {
    std::memcpy(target, source, static_cast<size_t>(from.numel().hint()) * bytes);
    return;
  }
  const size_t rank = a.sizes.size();
  Ints index(rank, 0);
  const int64_t count = from.numel().hint();
  for (int64_t n = 0; n < count; ++n) {
    int64_t at = 0, to_at = 0;
    for (size_t d = 0; d < rank; ++d) {
      at += index[d] * a.strides[d];
      to_at += index[d] * b.strides[d];
    }
    std::memcpy(target + to_at * static_cast<int64_t>(bytes),
                source + at * static_cast<int64_t>(bytes), bytes);
    for (size_t d = rank; d-- > 0;) {
      if (++index[d] < a.sizes[d]) break;
      index[d] = 0;
    }
  }
}

Tensor copy_with_strides(const Tensor& from, const Ints& strides) {
  const TensorImpl& impl = *from.impl();
  Tensor out = Tensor::empty_strided(impl.sizes, strides, impl.dtype, impl.device);
  copy_elements(from, out);
  return out;
}

}  // namespace vitro::capture
