// How fast collectives move their bytes, by the size of the message.
//   for (const Transfers& t : transfers(index)) print(t.collective, t.bytes, t.bus());
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vitro/analyze/answer.h"

namespace vitro::analyze {

class TraceIndex;

// Kernels of one collective with messages of one type and size between as many ranks.  The size is
// that of nccl-tests: the larger of what a rank passes and what it gets.  Known if kernels have the
// arguments `Collective name`, `In msg nelems`, `Out msg nelems`, `Group size` and `dtype` (PyTorch
// 2.1 and later); at most the first 4096 of the first two million events are read.
struct Transfers {
  std::string collective, type;
  int64_t ranks = 0, bytes = 0;
  uint64_t calls = 0;
  int64_t median = 0, least = 0;  // nanoseconds; a call may include waiting for a late rank
  EventId fastest = 0;

  // Gigabytes per second over the slowest link if it takes `ns` (nccl-tests, PERFORMANCE.md): the
  // bytes of a message, times 2 (n - 1) / n for a reduction to all, (n - 1) / n where each rank has
  // a part (all-gather, reduce-scatter, all-to-all), 1 for others.
  double bus(int64_t ns) const;
};

// By name, type, ranks and size; nothing if the file is gone.
std::vector<Transfers> transfers(const TraceIndex& index);
AnswerTable bandwidth_table(const std::vector<Transfers>& list);

}  // namespace vitro::analyze
