// The tensors of one running call, by slot: external ones, which it received or used, and deferred
// ones, which it returned.
//
// Invariants, for the slots below the cursor's `slots_after`:
//   - One reference is held on each tensor, so none is destroyed and its address reused:
//     tensors are compared by address.
//   - A deferred tensor with another reference is still held by the program (`is_held`).
//   - External slots of one storage form a list that starts at first_sharing(), in order.
// Higher slots are scratch space for comparing a node (`try_external`): no references are held on
// them, and they have no meaning until bind() is called.
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
  // `number`: the call's, stored in its deferred tensors.  No slot is in use at this point.
  void begin_call(uint64_t number) { call_ = number; }
  uint64_t call() const { return call_; }

  TensorImpl* const* data() const { return tensors_.data(); }
  TensorImpl& operator[](uint32_t slot) const { return *tensors_[slot]; }
  // In frozen calls only results have deferred tensors; other slots are null.
  bool is_used(uint32_t slot) const { return tensors_[slot] != nullptr; }
  void clear(uint32_t first, uint32_t end);
  void reserve(size_t count) {
    if (count > tensors_.size()) [[unlikely]]
      grow(count);
  }

  // ---- deferred tensors
  // Makes a new one in the slot, with two references: the slot's and the caller's.
  TensorImpl* defer(uint32_t slot, const TensorMeta& meta) {
    TensorImpl* impl = fresh();
    impl->refs.store(2, std::memory_order_relaxed);  // no atomic increment
    impl->dtype = meta.dtype;
    impl->device = meta.device;
    impl->slot = slot;
    impl->call = call_;
    impl->deferred = &meta;
    tensors_[slot] = impl;
    memories_[slot] = slot;
    return impl;
  }
  // The deferred tensor in the slot is a view of that in slot `of`.
  void share_memory(uint32_t slot, uint32_t of) { memories_[slot] = memories_[of]; }
  // The slot of the tensor whose memory that in the slot has: its own, unless it is a view.
  uint32_t memory_of(uint32_t slot) const { return memories_[slot]; }
  bool is_deferred(const TensorImpl& impl) const { return impl.call == call_; }
  // Whether the program holds the tensor in the slot.
  bool is_held(uint32_t slot) const {
    return tensors_[slot]->refs.load(std::memory_order_acquire) > 1;
  }
  // A bit for each of the first `end` slots: set if it has a deferred tensor that the program
  // holds.
  const std::vector<uint64_t>& find_live(uint32_t end);
  // To be called once storage, sizes, strides and offset are set.
  static void mark_materialized(TensorImpl& impl) {
    impl.deferred = nullptr;
    impl.call = 0;
  }
  // Marks held deferred tensors as never computed; they keep their shapes.  `in_numbers`: maps
  // their sizes to numbers in this call.
  void fail_deferred(uint32_t end, const SizeMap& in_numbers);

  // ---- external tensors
  // Takes a reference on the tensor.  `input` must live as long as the slot is in use.
  void bind(const ExternalInput& input, TensorImpl* impl);
  // The slot of the tensor; no_slot if the segment has not used it yet.
  uint32_t slot_of(const TensorImpl& impl) const { return find(first(external_, impl), impl); }
  // The first slot with the storage of `impl`, or no_slot.
  uint32_t first_sharing(const TensorImpl& impl) const { return first(external_, impl); }
  const TensorMeta* external_meta(uint32_t slot) const { return external_metas_[slot]; }
  // The distance in bytes from the start of the slot's tensor to that of `impl`.
  int64_t bytes_after(uint32_t slot, const TensorImpl& impl) const;

  // ---- comparing a node's external inputs with a call's operands
  void begin_trial() { tried_.clear(); }
  // Whether the tensor is neither in a slot nor tried in this trial.  `*sharing`: the first slot
  // with its storage, including those tried in this trial, or no_slot.
  bool is_new(const TensorImpl& impl, uint32_t* sharing) const {
    const uint32_t before = first(external_, impl), tried = first(tried_, impl);
    *sharing = before != no_slot ? before : tried;
    return impl.call == 0 && find(before, impl) == no_slot && find(tried, impl) == no_slot;
  }
  void try_external(uint32_t slot, const TensorImpl& impl);

  // ---- the end
  // Releases external tensors bound for a node that was not recorded after all.
  void unbind(uint32_t first, uint32_t end);
  // Releases all tensors of the segment.
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
  // The slot of the tensor in the list that starts at `slot`, or no_slot.
  uint32_t find(uint32_t slot, const TensorImpl& impl) const {
    while (slot != no_slot && tensors_[slot] != &impl) slot = next_sharing_[slot];
    return slot;
  }
  void link(StorageTable& known, uint32_t slot);

  uint64_t call_ = 0;
  std::vector<TensorImpl*> tensors_;
  std::vector<uint32_t> memories_;
  // For external slots: the recorded meta, and the next slot with the same storage.
  std::vector<const TensorMeta*> external_metas_;
  std::vector<uint32_t> next_sharing_;
  StorageTable external_, tried_;  // first slot by storage, of the segment and of the trial
  std::vector<TensorImpl*> free_;  // deferred tensors for reuse
  std::vector<uint64_t> live_;
};

}  // namespace vitro::capture
