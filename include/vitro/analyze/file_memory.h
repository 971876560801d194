// Memory in files without names, so that what of it is resident stays bounded, as that of columns
// does.  Answers about tens of millions of events need arrays of gigabytes; a program that gives
// its arrays this memory answers them in a few hundred megabytes, as `vitro trace` does: its
// operator new asks here for what is large.  Threads: any.
#pragma once

#include <cstddef>

namespace vitro::analyze {

// Zeros, at the beginning of a page; null where no file has room for so much.
void* take_file_memory(size_t bytes);

// Whether it was taken above; then it is nobody's now.
bool give_back_file_memory(void* memory);

}  // namespace vitro::analyze
