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

// Whether `to` is written so.  Not where it takes the place of an operand, whose lines are in the
// caches when they are written.
bool should_stream(const Tensor& to, std::span<const Tensor> from);

// make(piece, begin, count) for pieces of a dense run of n elements of `bytes` each: at most a
// block (stage.h), and they end at whole cache lines.  Longer ones let memory wait: nothing is read
// while they are written.
template <class F>
void stream_run(std::byte* to, int64_t bytes, int64_t n, F&& make) {
  constexpr int64_t piece_bytes = 2048;
  alignas(64) std::byte piece[piece_bytes];
  const int64_t most = std::min(block, piece_bytes / bytes), line = 64 / bytes;
  int64_t count = most - reinterpret_cast<intptr_t>(to) / bytes % line;
  for (int64_t begin = 0; begin < n; begin += count, count = most) {
    count = std::min(count, n - begin);
    make(piece, begin, count);
    kernel_table().stream(piece, to + begin * bytes, count * bytes);
  }
}

}  // namespace vitro::eager
