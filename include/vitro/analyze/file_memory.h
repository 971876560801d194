// Memory in unnamed files, so that its resident part stays bounded, like that of columns.
// Questions about tens of millions of events need gigabytes of arrays; a program that puts its
// arrays into this memory answers them in a few hundred megabytes, as `vitro trace` does, whose
// operator new uses it for large blocks.  Threads: any.
#pragma once

#include <cstddef>

namespace vitro::analyze {

// Zeroed memory, aligned to a page; null if no file has enough room.
void* take_file_memory(size_t bytes);

// Frees the memory if it came from above; returns whether it did.
bool give_back_file_memory(void* memory);

}  // namespace vitro::analyze
