// The cost of launching device work: how long calls took, how late work began, which work is
// shorter than its launch, and how much waited in the streams' queues.
//   const Launches l = launches(index);
//   for (const Launches::CallStatistics& call : l.calls) …
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyze/model/attribution.h"
#include "vitro/analyze/answer.h"

namespace vitro::analyze {

class TraceIndex;

struct LaunchOptions {
  int64_t slow_call_ns = analyze::slow_call_ns;  // longer calls are slow
  int64_t long_delay_ns = 100'000;  // launches whose work begins later than this are delayed
  uint64_t full_queue = 1024;       // work a stream's queue holds before launches block
};

// A launch is a runtime or driver call, whatever its name, for which there is device work with the
// same correlation; all work of a device graph is one launch.  Times in nanoseconds.
//   delay    from the end of the call to the begin of its first work; 0 if that began earlier
//   short    its work takes less time than the call itself
// As in HolisticTraceAnalysis (get_cuda_kernel_launch_stats), which, however, knows only
// cudaLaunchKernel, cudaLaunchKernelExC, cudaMemcpyAsync, cudaMemsetAsync and runFunction: not
// Triton's cuLaunchKernel, HIP's launches, or graphs.
struct Launches {
  // Calls of one name, launches or not.
  struct CallStatistics {
    std::string name;
    uint64_t calls = 0, slow = 0;
    int64_t total = 0, median = 0, p99 = 0, most = 0;
    EventId longest = 0;
    uint64_t launches = 0, brief = 0, delayed = 0;  // `brief`: short ones
    int64_t delay_total = 0, delay_median = 0, delay_p99 = 0, delay_most = 0;
  };
  // Work of one name with short launches.
  struct Brief {
    std::string name;
    uint64_t launches = 0, brief = 0;
    int64_t work = 0, calls = 0;  // of the short ones
    EventId example = 0;          // the launch that takes longest compared with its work
  };
  // Work launched but not begun, as in HolisticTraceAnalysis (get_queue_length_summary):
  // incremented when a launch begins, decremented when its work begins.  Unlike there, the mean is
  // over time, from the first launch to the last begin of work.
  struct Queue {
    uint32_t track = 0;
    uint64_t launched = 0, most = 0;
    double mean = 0;
    int64_t span = 0;
    int64_t full = 0;  // time with full_queue or more
  };
  // The same for equal parts of its span.
  struct QueuePart {
    uint32_t track = 0;
    int64_t begin = 0;
    uint64_t most = 0;
    double mean = 0;
  };
  std::vector<CallStatistics> calls;  // the longest total first
  std::vector<Brief> briefs;          // the longest calls first
  std::vector<Queue> queues;          // by track
  std::vector<QueuePart> queue_parts;
};

Launches launches(const TraceIndex& index, const LaunchOptions& options = {});
Answer answer_launches(const TraceIndex& index, const LaunchOptions& options = {});

}  // namespace vitro::analyze
