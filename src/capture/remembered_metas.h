// Tensors that an earlier segment of the call knew with symbols: its inputs, and what it returned
// last.  A later segment records them with the same symbols.
//
// Not owned: a tensor is recognized by its address and the number of its storage, which no other
// storage ever has.  A tensor that is gone may have left its address to another one of the same
// storage, so that sizes and strides are compared too.
// Threads: that of its call.
#pragma once

#include <cstdint>
#include <vector>

#include "capture/symbols.h"
#include "vitro/core/tensor.h"

namespace vitro::capture {

class RememberedMetas {
 public:
  void clear() {
    known_.clear();
    inputs_ = 0;
  }
  // Inputs first: they are remembered for all of the call.  `meta` lives as long as the trace tree.
  void add_input(const TensorImpl& impl, const TensorMeta& meta);
  // Of these the last ones are remembered, a fixed number, once trim() was called.
  void add_result(const TensorImpl& impl, const TensorMeta& meta);
  void trim() {
    if (known_.size() > inputs_ + room) drop_oldest();
  }
  // The meta with symbols that describes the tensor in this call, or null.
  const TensorMeta* find(const TensorImpl& impl, const Symbols& symbols) const;

 private:
  static constexpr size_t room = 64;
  void drop_oldest();
  struct Known {
    const TensorImpl* impl = nullptr;
    uint64_t storage = 0;
    const TensorMeta* meta = nullptr;
  };
  std::vector<Known> known_;  // inputs_ inputs, then results, oldest first
  size_t inputs_ = 0;
};

}  // namespace vitro::capture
