// Where the calling thread is, as return addresses: by the unwind tables that every program has,
// read once for each call, so that a frame costs a few nanoseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace vitro {

inline constexpr size_t max_frames = 64;

// Fills in the return addresses of the calling thread, the innermost first, from the caller of the
// function that asks; how many there are.  Of a deeper stack the innermost.
size_t unwind(std::span<uint64_t, max_frames> addresses);

}  // namespace vitro
