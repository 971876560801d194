// The slots of a running call: its tensors, the references held on them, and lists of those that
// share a storage.  Call owns one through CallMemory; its parts look up tensors here.
#include "capture/slots.h"

#include <algorithm>
#include <deque>
#include <mutex>

namespace vitro::capture {
namespace {

int64_t byte_offset(const TensorImpl& t) {
  return t.offset * bytes_of(t.dtype);
}

// Keeps the shape of a tensor that was never computed, which may outlive the trace tree.  Never
// freed: failures are rare, and metas small.
const TensorMeta* keep_for_ever(const TensorMeta& meta) {
  static auto* lock = new std::mutex;
  static auto* kept = new std::deque<TensorMeta>;
  std::lock_guard hold(*lock);
  return &kept->emplace_back(meta);
}

Ints plain(const Sizes& sizes) {
  Ints out;
  for (const Size s : sizes) out.push_back(s.hint());
  return out;
}

}  // namespace

Slots::~Slots() {
  for (TensorImpl* impl : free_) {
    impl->call = 0;
    impl->refs.store(1, std::memory_order_relaxed);
    const Tensor let_go(impl);
  }
}

void Slots::grow(size_t count) {
  const size_t room = std::max(count, tensors_.size() * 2 + 64);
  tensors_.resize(room, nullptr);
  memories_.resize(room, no_slot);
  next_sharing_.resize(room, no_slot);
  external_metas_.resize(room, nullptr);
}

void Slots::clear(uint32_t first, uint32_t end) {
  std::fill(tensors_.begin() + first, tensors_.begin() + end, nullptr);
}

const std::vector<uint64_t>& Slots::find_live(uint32_t end) {
  live_.assign((end + 63) / 64, 0);
  for (uint32_t slot = 0; slot < end; ++slot) {
    if (is_deferred(*tensors_[slot]) && is_held(slot))
      live_[slot / 64] |= uint64_t{1} << (slot % 64);
  }
  return live_;
}

void Slots::fail_deferred(uint32_t end, const SizeMap& in_numbers) {
  for (uint32_t slot = 0; slot < end; ++slot) {
    if (!is_used(slot) || !is_deferred(*tensors_[slot]) || !is_held(slot)) continue;
    TensorImpl& impl = *tensors_[slot];
    TensorMeta now = *impl.deferred;
    for (Size& s : now.sizes) s = in_numbers(s);
    for (Size& s : now.strides) s = in_numbers(s);
    now.offset = in_numbers(now.offset);
    impl.sizes = plain(now.sizes);
    impl.strides = plain(now.strides);
    impl.deferred = keep_for_ever(now);
    impl.call = failed_call;
  }
}

void Slots::bind(const ExternalInput& input, TensorImpl* impl) {
  impl->refs.fetch_add(1, std::memory_order_relaxed);
  tensors_[input.slot] = impl;
  memories_[input.slot] = input.slot;
  external_metas_[input.slot] = &input.meta;
  link(external_, input.slot);
}

int64_t Slots::bytes_after(uint32_t slot, const TensorImpl& impl) const {
  return byte_offset(impl) - byte_offset(*tensors_[slot]);
}

void Slots::link(StorageTable& known, uint32_t slot) {
  next_sharing_[slot] = no_slot;
  const TensorImpl& impl = *tensors_[slot];
  if (!impl.storage) return;
  uint32_t at = first(known, impl);
  if (at == no_slot) return known.add(impl.storage.id(), slot);
  while (next_sharing_[at] != no_slot) at = next_sharing_[at];
  next_sharing_[at] = slot;
}

void Slots::try_external(uint32_t slot, const TensorImpl& impl) {
  tensors_[slot] = const_cast<TensorImpl*>(&impl);
  link(tried_, slot);
}

void Slots::unbind(uint32_t first, uint32_t end) {
  if (first == end) return;
  external_.clear();
  for (uint32_t slot = 0; slot < first; ++slot) {
    if (tensors_[slot]->call == 0) link(external_, slot);
  }
  for (uint32_t slot = first; slot < end; ++slot) {
    const Tensor let_go(tensors_[slot]);
  }
}

void Slots::release(uint32_t end) {
  for (uint32_t slot = 0; slot < end; ++slot) {
    TensorImpl* impl = tensors_[slot];
    if (!impl) continue;
    if (is_deferred(*impl)) {
      if (impl->gradient) Tensor::forget_gradient(impl);
      impl->writes = 0;
      free_.push_back(impl);  // nothing else holds it
    } else {
      const Tensor let_go(impl);
    }
  }
  external_.clear();
}

}  // namespace vitro::capture
