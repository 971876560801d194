// StridedLoop: broadcasts operands, sorts and joins dimensions, and finds the addresses of an
// element. The traversal itself is StridedLoop::run in loop.h.
#include "eager/loop.h"

#include <algorithm>

namespace vitro::eager {

Strided strided(const Tensor& t, std::span<const int64_t> sizes) {
  const TensorImpl& impl = *t.impl();
  const int64_t bytes = bytes_of(impl.dtype);
  Strided out;
  out.data = static_cast<std::byte*>(impl.storage.data()) + impl.offset * bytes;
  const size_t missing = sizes.size() - impl.sizes.size();
  for (size_t d = 0; d < sizes.size(); ++d) {
    const bool repeats = d < missing || (impl.sizes[d - missing] == 1 && sizes[d] != 1);
    out.strides.push_back(repeats ? 0 : impl.strides[d - missing] * bytes);
  }
  return out;
}

StridedLoop::StridedLoop(std::span<const int64_t> sizes, std::span<const Strided> operands,
                         Order order)
    : operands_(operands.size()) {
  for (size_t o = 0; o < operands_; ++o) data_[o] = operands[o].data;
  count_ = count_of(sizes);
  for (size_t d = sizes.size(); d-- > 0;) {
    if (sizes[d] == 1 && order == Order::by_stride) continue;
    Dim dim{sizes[d], {}};
    for (size_t o = 0; o < operands_; ++o) dim.stride[o] = operands[o].strides[d];
    dims_.push_back(dim);
  }
  if (order == Order::as_given) return;
  sort();
  join();
}

// Orders two dimensions by the first operand whose strides in them differ and are not 0.
void StridedLoop::sort() {
  const auto inner_than = [&](const Dim& a, const Dim& b) {
    for (size_t o = 0; o < operands_; ++o) {
      const int64_t x = std::abs(a.stride[o]), y = std::abs(b.stride[o]);
      if (x != y && x != 0 && y != 0) return x < y;
    }
    return false;
  };
  for (size_t i = 1; i < dims_.size(); ++i) {
    for (size_t at = i; at > 0 && inner_than(dims_[at], dims_[at - 1]); --at)
      std::swap(dims_[at], dims_[at - 1]);
  }
}

void StridedLoop::join() {
  Dims joined;
  for (const Dim& dim : dims_) {
    bool goes_on = !joined.empty();
    for (size_t o = 0; goes_on && o < operands_; ++o)
      goes_on = dim.stride[o] == joined.back().stride[o] * joined.back().size;
    if (goes_on) {
      joined.back().size *= dim.size;
    } else {
      joined.push_back(dim);
    }
  }
  dims_ = joined;
}

bool StridedLoop::is_constant(size_t operand) const {
  return std::all_of(dims_.begin(), dims_.end(),
                     [&](const Dim& d) { return d.stride[operand] == 0; });
}

std::optional<size_t> StridedLoop::turned(int64_t bytes, int64_t least) const {
  if (dims_.empty() || dims_[0].stride[0] != bytes || dims_[0].size < least) return std::nullopt;
  if (dims_[0].stride[1] <= bytes) return std::nullopt;
  for (size_t d = 1; d < dims_.size(); ++d) {
    if (dims_[d].stride[1] == bytes && dims_[d].size >= 8) return d;
  }
  return std::nullopt;
}

std::array<std::byte*, StridedLoop::most> StridedLoop::plane(size_t across, int64_t number) const {
  std::array<std::byte*, most> at = data_;
  for (size_t d = 1; d < dims_.size(); ++d) {
    if (d == across) continue;
    for (size_t o = 0; o < operands_; ++o) at[o] += number % dims_[d].size * dims_[d].stride[o];
    number /= dims_[d].size;
  }
  return at;
}

void StridedLoop::seek(int64_t element, Ints& index, std::array<std::byte*, most>& at) const {
  for (size_t d = 0; d < dims_.size(); ++d) {
    index[d] = element % dims_[d].size;
    element /= dims_[d].size;
    if (d == 0) continue;
    for (size_t o = 0; o < operands_; ++o) at[o] += index[d] * dims_[d].stride[o];
  }
}

void StridedLoop::advance(Ints& index, std::array<std::byte*, most>& at, int64_t runs) const {
  for (size_t d = 1; d < dims_.size(); ++d, runs = 1) {
    const Dim& dim = dims_[d];
    for (size_t o = 0; o < operands_; ++o) at[o] += runs * dim.stride[o];
    if ((index[d] += runs) < dim.size) return;
    for (size_t o = 0; o < operands_; ++o) at[o] -= dim.stride[o] * dim.size;
    index[d] = 0;
  }
}

}  // namespace vitro::eager
