// Results that the last cache does not hold, with what they are made of: they are made in a buffer,
// piece by piece, and written past the caches.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "eager/kernel_table.h"
#include "eager/stage.h"
#include "vitro/core/tensor.h"

namespace vitro::eager {

// Longer pieces let memory wait: nothing is read while they are written.
inline constexpr int64_t stream_bytes = 2048;

// Whether `to` is written so, whose dense runs have `run` elements.  Not where these are shorter
// than a piece, nor where it takes the place of an operand, whose lines are in the caches when they
// are written.
bool should_stream(const Tensor& to, std::span<const Tensor> from, int64_t run);

// make(piece, begin, count) for pieces of a dense run of n elements of `bytes` each: at most a
// block (stage.h), and they end at whole cache lines.
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
