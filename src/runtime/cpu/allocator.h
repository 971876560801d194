// CPU memory for tensors: freed blocks are kept by size, a few per thread and the rest together, so
// that a program's steady state asks the system for nothing.
//   set_allocator(cpu, &cpu_allocator());
// Blocks are aligned to 64 bytes, large ones to huge pages.  The contents of a block are undefined.
#pragma once

#include "vitro/core/storage.h"
#include "vitro/runtime/memory.h"

namespace vitro::runtime {

// Threads: any; a block may be freed on another thread than it was made on.
Allocator& cpu_allocator();

// What a block of that many bytes really takes: its size class.
size_t block_bytes(size_t bytes);

}  // namespace vitro::runtime
