// The call stack of the current thread, as return addresses.  Uses the unwind tables, which every
// program has, and caches the rule of each address, so that a frame takes a few nanoseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace vitro {

inline constexpr size_t max_frames = 64;

// Fills in return addresses, innermost first, beginning with that of the function which calls
// unwind(); returns their number.  Of a deeper stack only the innermost frames are filled in.
size_t unwind(std::span<uint64_t, max_frames> addresses);

}  // namespace vitro
