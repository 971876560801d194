// Memory over time: how much each device held, what held it at the peak, and what was never freed.
//   const Result<Memory> m = memory(index);
//   for (const Memory::Device& d : m->devices) …
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vitro/analyze/answer.h"
#include "vitro/base/result.h"

namespace vitro::analyze {

class TraceIndex;

// Computed from the `[memory]` instants (profile_memory) of PyTorch and Vitro: each an allocation
// or a free with its bytes, address and device, and the allocator's total after it.  If totals are
// missing, the sum of what the trace allocated and did not free is used.  About 64 bytes per
// instant.
struct Memory {
  // Allocations grouped by category (given by Vitro's traces: parameter, gradient, activation, …)
  // and by the outermost op in which they were made; empty if there is none.
  struct Group {
    std::string category, within;
    uint64_t allocations = 0;
    int64_t bytes = 0;
    EventId largest = 0;
  };
  struct Allocation {
    EventId event = 0;
    int64_t at = 0, bytes = 0;
    int64_t freed_at = none;  // `none`: not in the trace
    std::string category, within;
  };
  struct Moment {
    int64_t begin = 0, most = 0;  // the greatest total in one of equal parts of the time
  };
  struct Device {
    std::string name;  // "CPU", "GPU 0"
    uint64_t allocations = 0, frees = 0, out_of_memory = 0;
    int64_t allocated = 0, freed = 0;  // bytes
    int64_t first = 0, last = 0;       // total before the first and after the last change
    int64_t peak = 0, peak_at = 0;
    EventId peak_event = 0;
    int64_t usual = 0;     // not exceeded for 95 % of the time
    int64_t reserved = 0;  // most held by the allocator; 0 if not recorded
    EventId reserved_event = 0;
    std::vector<Group> at_peak;       // allocated in the trace; the largest first
    int64_t before_trace = 0;         // part of the peak allocated before the trace began
    std::vector<Group> never_freed;   // allocated in the trace, not freed in it; the largest first
    std::vector<Allocation> largest;  // at most twenty allocations
    std::vector<Moment> timeline;
    std::vector<int64_t> after_steps;  // total at the end of each step
  };
  std::vector<Device> devices;
  uint64_t unread = 0;  // instants without bytes or with malformed text
};

// Reads the file's text once; fails if it is gone.
Result<Memory> memory(const TraceIndex& index);
Answer answer_memory(const TraceIndex& index);

}  // namespace vitro::analyze
