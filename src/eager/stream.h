// Results that, with their operands, exceed the last cache: they are computed in pieces in a buffer
// and written past the caches.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "eager/kernel_table.h"
#include "eager/stage.h"
#include "vitro/core/tensor.h"

namespace vitro::eager {

// Longer pieces leave memory reads idle while a piece is written.
inline constexpr int64_t stream_bytes = 2048;

// Returns whether to stream `to`, whose contiguous runs have `run` elements.  False if the runs are
// shorter than a piece, or if `to` shares the storage of an operand, whose lines are then cached
// when they are written.
bool should_stream(const Tensor& to, std::span<const Tensor> from, int64_t run);

// Calls make(piece, begin, count) for the pieces of a contiguous run of n elements of `bytes`
// bytes, and streams them to `to`.  A piece is at most a block (stage.h) and ends at a cache line.
template <class F>
void stream_run(std::byte* to, int64_t bytes, int64_t n, F&& make) {
  alignas(64) std::byte piece[stream_bytes];
  const int64_t most = std::min(block, stream_bytes / bytes), line = 64 / bytes;
  int64_t count = most - reinterpret_cast<intptr_t>(to) / bytes % line;
  for (int64_t begin = 0; begin < n; begin += count, count = most) {
    count = std::min(count, n - begin);
    make(piece, begin, count);
    kernel_table().stream(piece, to + begin * bytes, count * bytes);
  }
}

}  // namespace vitro::eager
