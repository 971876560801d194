// How much of the communication is hidden by computation.
//   for (const Overlap::Device& d : overlap(index).devices) d.hidden + d.exposed
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vitro/analyze/answer.h"
#include "vitro/analyze/events.h"

namespace vitro::analyze {

class TraceIndex;

// Times in nanoseconds.  Communication and computation are as in summary.h; concurrent kernels
// count once.  The share hidden / communication is that of HolisticTraceAnalysis
// (get_comm_comp_overlap); without communication there is none.
struct Overlap {
  struct Device {
    uint32_t track = 0;         // one of its streams
    size_t window = 0;          // index in `windows`
    int64_t communication = 0;  // hidden + exposed
    int64_t hidden = 0;         // while something computes
    int64_t exposed = 0;        // while nothing computes
    int64_t compute_alone = 0;  // computation without communication: could still hide some
  };
  struct Kernel {
    std::string name;
    uint32_t track = 0;  // a stream of its device
    uint64_t calls = 0;
    int64_t total = 0, exposed = 0;  // of each call separately
    std::vector<EventId> most;       // the most exposed first; at most ten
  };
  std::vector<NamedWindow> windows;
  std::vector<Device> devices;  // by window; those with communication in it
  std::vector<Kernel> kernels;  // communication kernels, the most exposed first
};

Overlap overlap(const TraceIndex& index);
Answer answer_overlap(const TraceIndex& index);

}  // namespace vitro::analyze
