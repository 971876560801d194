// Memory over time: how much each device held, what held it at the peak, what was never freed.
//   const Result<Memory> m = memory(trace);
//   for (const Memory::Device& d : m->devices) …
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vitro/analyze/answer.h"
#include "vitro/base/result.h"

namespace vitro::analyze {

// From the instants `[memory]` (profile_memory) of PyTorch and Vitro: each an allocation or a
// freeing with its bytes and address, its device, and the allocator's total behind it.  Where no
// total is written, what the trace allocated and did not free.  About 64 bytes for each instant.
struct Memory {
  // What belongs together: of Vitro by the category that the program gave (parameter, gradient,
  // activation, …), and by the outermost op that it was allocated in; empty where there is none.
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
    int64_t begin = 0, most = 0;  // the greatest total in an equal part of the time
  };
  struct Device {
    std::string name;  // "CPU", "GPU 0"
    uint64_t allocations = 0, frees = 0, out_of_memory = 0;
    int64_t allocated = 0, freed = 0;  // bytes
    int64_t first = 0, last = 0;       // total before the first and behind the last change
    int64_t peak = 0, peak_at = 0;
    EventId peak_event = 0;
    int64_t usual = 0;     // not exceeded for 95 % of the time
    int64_t reserved = 0;  // by the allocator, at most; 0 where it is not written
    EventId reserved_event = 0;
    std::vector<Group> at_peak;       // of what the trace allocated; the largest first
    int64_t before_trace = 0;         // of the peak: allocated before the trace began
    std::vector<Group> never_freed;   // allocated in the trace, not freed in it; the largest first
    std::vector<Allocation> largest;  // allocations, at most twenty
    std::vector<Moment> timeline;
    std::vector<int64_t> behind_steps;  // total at the end of each step
  };
  std::vector<Device> devices;
  uint64_t unread = 0;  // instants without bytes or with broken text
};

// Reads the file's text once; fails where it has gone.
Result<Memory> memory(const Trace& trace);
Answer answer_memory(const Trace& trace);

}  // namespace vitro::analyze
