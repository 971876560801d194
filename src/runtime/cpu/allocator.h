// CPU memory for tensors.  Freed blocks are cached by size class, a few per thread and the rest
// shared, so that a program in its steady state does not allocate from the system.
//   set_allocator(cpu, &cpu_allocator());
// Blocks are aligned to 64 bytes, large ones to huge pages, and uninitialized.
#pragma once

#include "vitro/core/storage.h"
#include "vitro/runtime/memory.h"

namespace vitro::runtime {

// Thread-safe; a block may be freed on a different thread than the one that allocated it.
Allocator& cpu_allocator();

// The size of the block that serves an allocation of `bytes`: that of its size class.
size_t block_bytes(size_t bytes);

}  // namespace vitro::runtime
