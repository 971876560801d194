// Tensors that earlier segments of the call knew with symbolic sizes: its inputs, and recent
// results.  Later segments record them with the same symbols.
//
// Not owned: a tensor is recognized by its address and its storage's id, which is never reused. The
// address may belong to another tensor of the same storage by now, so sizes and strides are
// compared too.
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
  // Add inputs first: they are remembered for the whole call.  `meta` must live as long as the
  // trace tree.
  void add_input(const TensorImpl& impl, const TensorMeta& meta);
  // trim() keeps a fixed number of the most recent results.
  void add_result(const TensorImpl& impl, const TensorMeta& meta);
  void trim() {
    if (known_.size() > inputs_ + room) drop_oldest();
  }
  // The symbolic meta that describes the tensor in this call, or null.
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
