// The tensors of one running call, by slot: external ones, which it was given or has reached, and
// deferred ones, which it has returned.
//
// Invariants, of the slots below the cursor's `slots_after`:
//   - One count is held on each tensor.  So no tensor of the segment is destroyed and its address
//     given to another one: tensors are compared by address.
//   - A deferred tensor with another count is still wanted by the program (`is_held`).
//   - External slots of one storage are a list that begins at first_sharing(), in order.
// Slots from there on are room for a comparison with a node (`try_external`): no counts are held on
// them, and they mean nothing until bind() is called.
// Threads: that of its call.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "capture/trace_node.h"
#include "core/storage_table.h"
#include "vitro/core/tensor.h"

namespace vitro::capture {

class Slots {
 public:
  Slots() = default;
  Slots(const Slots&) = delete;
  ~Slots();
  // `number`: that of the call, which its deferred tensors carry.  No slot is in use then.
  void begin_call(uint64_t number) { call_ = number; }
  uint64_t call() const { return call_; }

  TensorImpl* const* data() const { return tensors_.data(); }
  TensorImpl& operator[](uint32_t slot) const { return *tensors_[slot]; }
  // Frozen calls have deferred tensors for their results alone; other slots are null.
  bool is_used(uint32_t slot) const { return tensors_[slot] != nullptr; }
  void clear(uint32_t first, uint32_t end);
  void reserve(size_t count) {
    if (count > tensors_.size()) [[unlikely]]
      grow(count);
  }

  // ---- deferred tensors
  // A new one in the slot, with two counts: the slot's and the caller's.
  TensorImpl* defer(uint32_t slot, const TensorMeta& meta) {
    TensorImpl* impl = fresh();
    impl->refs.store(2, std::memory_order_relaxed);  // no atomic addition
    impl->dtype = meta.dtype;
    impl->device = meta.device;
    impl->slot = slot;
    impl->call = call_;
    impl->deferred = &meta;
    tensors_[slot] = impl;
    return impl;
  }
  bool is_deferred(const TensorImpl& impl) const { return impl.call == call_; }
  // Whether the program holds the tensor in the slot.
  bool is_held(uint32_t slot) const {
    return tensors_[slot]->refs.load(std::memory_order_acquire) > 1;
  }
  // A bit for each of the first `end` slots: whether it has a deferred tensor that the program
  // holds.
  const std::vector<uint64_t>& find_live(uint32_t end);
  // The tensor has got its storage, sizes, strides and offset.
  static void mark_materialized(TensorImpl& impl) {
    impl.deferred = nullptr;
    impl.call = 0;
  }
  // Marks deferred tensors that are held as never computed; shapes stay.  `in_numbers`: their sizes
  // in this call.
  void fail_deferred(uint32_t end, const SizeMap& in_numbers);

  // ---- external tensors
  // Takes a count on the tensor.  `input` lives as long as the slot is in use.
  void bind(const ExternalInput& input, TensorImpl* impl);
  // The slot of the tensor, or no_slot: this segment has not taken it yet.
  uint32_t slot_of(const TensorImpl& impl) const { return find(first(external_, impl), impl); }
  // The first slot with the storage of `impl`, or no_slot.
  uint32_t first_sharing(const TensorImpl& impl) const { return first(external_, impl); }
  const TensorMeta* external_meta(uint32_t slot) const { return external_metas_[slot]; }
  // How many bytes the tensor begins after that in the slot.
  int64_t bytes_after(uint32_t slot, const TensorImpl& impl) const;

  // ---- the comparison of a node's external inputs with the operands of a call
  void begin_trial() { tried_.clear(); }
  // Whether the tensor is neither in a slot nor tried in this trial.  `*sharing`: the first slot
  // with its storage, those tried in this trial included, or no_slot.
  bool is_new(const TensorImpl& impl, uint32_t* sharing) const {
    const uint32_t before = first(external_, impl), tried = first(tried_, impl);
    *sharing = before != no_slot ? before : tried;
    return impl.call == 0 && find(before, impl) == no_slot && find(tried, impl) == no_slot;
  }
  void try_external(uint32_t slot, const TensorImpl& impl);

  // ---- the end
  // Gives back external tensors that were bound for a node that is not recorded after all.
  void unbind(uint32_t first, uint32_t end);
  // Gives back all of the segment.
  void release(uint32_t end);

 private:
  TensorImpl* fresh() {
    if (free_.empty()) return new_impl();
    TensorImpl* impl = free_.back();
    free_.pop_back();
    return impl;
  }
  void grow(size_t count);
  static uint32_t first(const StorageTable& known, const TensorImpl& impl) {
    const uint32_t* slot = impl.storage ? known.find(impl.storage.id()) : nullptr;
    return slot ? *slot : no_slot;
  }
  // Of the list that begins at `slot` the one with that tensor, or no_slot.
  uint32_t find(uint32_t slot, const TensorImpl& impl) const {
    while (slot != no_slot && tensors_[slot] != &impl) slot = next_sharing_[slot];
    return slot;
  }
  void link(StorageTable& known, uint32_t slot);

  uint64_t call_ = 0;
  std::vector<TensorImpl*> tensors_;
  // Of external slots: what was recorded of them, and the next slot with the same storage.
  std::vector<const TensorMeta*> external_metas_;
  std::vector<uint32_t> next_sharing_;
  StorageTable external_, tried_;  // first slots by storage: of the segment; of the trial
  std::vector<TensorImpl*> free_;  // deferred tensors that nobody held
  std::vector<uint64_t> live_;
};

}  // namespace vitro::capture
