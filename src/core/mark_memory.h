// What the memory of a tensor is for, as profiles of memory show it.
#pragma once

#include "vitro/core/tensor.h"
#include "vitro/events/memory.h"

namespace vitro {

// Sets the category of the tensor's memory.  No effect on a tensor without memory (an undefined or
// a deferred one), or unless a session records memory.
inline void mark_memory(const Tensor& tensor, events::MemoryCategory category) {
  if (!events::wants(events::Detail::memory) || !tensor.defined()) return;
  const Storage& storage = (tensor.is_complex() ? tensor.pairs() : tensor).impl()->storage;
  if (storage) events::categorise(storage.data(), category, storage.bytes());
}

}  // namespace vitro
