// What a call works in, lent to one call at a time and kept between calls, so that a replayed op
// does not allocate.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "capture/symbols.h"
#include "capture/trace_node.h"
#include "core/storage_table.h"
#include "vitro/core/tensor.h"

namespace vitro::capture {

// A tensor that an earlier segment of the call knew with symbols.  Not owned: it is met again by
// its address and its storage's number, which no other storage ever had.
struct Remembered {
  const TensorImpl* impl = nullptr;
  uint64_t storage = 0;
  const TensorMeta* meta = nullptr;
};

class TraceTree;

struct Memory {
  Memory() = default;
  Memory(const Memory&) = delete;
  ~Memory();
  void reserve_slots(size_t count);
  TensorImpl* fresh_impl() {
    if (free.empty()) return new_impl();
    TensorImpl* impl = free.back();
    free.pop_back();
    return impl;
  }

  std::shared_ptr<TraceTree> tree;  // that it is lent for
  std::vector<TensorImpl*> slots;   // by slot; a count is held on each up to the cursor's slots
  // Of tensors from outside: their recorded metas, and the next slot with the same storage.
  std::vector<const TensorMeta*> bound_metas;
  std::vector<uint32_t> next_shared;
  // Slots of tensors from outside: of the segment; of the node that is being compared.
  StorageTable outside, tried;
  std::vector<TensorImpl*> free;  // deferred tensors that nobody else held
  Symbols symbols;
  std::vector<const TraceNode*> data;  // the call's nodes whose data decide a size
  std::vector<Scalar> numbers;         // the segment's numbers that vary
  std::vector<Remembered> remembered;
  std::vector<Operand> inputs;  // of the function
  // Arguments of the backend.
  std::vector<Operand> operands;
  std::vector<Tensor> borrowed, outputs;
  StorageTable shared;  // the memory of these, where any two may have the same
  std::vector<int64_t> symbol_values;
  std::vector<uint64_t> live;
};

}  // namespace vitro::capture
