// Where the time went: what each device and host thread did, per step and overall.
//   const Summary s = summary(index);
//   for (const DeviceTimes& d : s.devices) d.compute + d.communication + d.memory + d.idle
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vitro/analyze/answer.h"
#include "vitro/analyze/events.h"

namespace vitro::analyze {

class TraceIndex;

// A device in a window, in nanoseconds; the four parts sum to the window.  They are those of
// HolisticTraceAnalysis (get_temporal_breakdown), whose non-compute time is communication + memory
// here.  Overlap counts once: as compute if anything computes, else as communication if anything
// communicates.  Unlike there, device work is recognised by its category (a host op with an
// argument `stream` is not device work), stream waits are idle, and times are nanoseconds.
struct DeviceTimes {
  uint32_t track = 0;  // one of its streams
  size_t window = 0;   // index in Summary::windows
  int64_t length = 0;
  int64_t compute = 0, communication = 0, memory = 0, idle = 0;
};

// A thread in a window, in nanoseconds; the parts sum to the window.  Each moment belongs to the
// innermost event: an op does not include its runtime calls.
struct ThreadTimes {
  uint32_t track = 0;
  size_t window = 0;
  int64_t length = 0;
  int64_t ops = 0, runtime = 0, python = 0, annotations = 0;
  int64_t other = 0;  // of an unknown category
  int64_t idle = 0;   // nothing recorded except a step: waiting, or unrecorded code
};

struct Summary {
  // named_windows().  For "all" each device and thread has its own window: from the begin of its
  // first event to the end of its last (for devices HolisticTraceAnalysis's kernel time).  A device
  // is measured during the host's step.
  std::vector<NamedWindow> windows;
  // By window, then by device or thread; those without events in a window are left out.
  std::vector<DeviceTimes> devices;
  std::vector<ThreadTimes> threads;
};

Summary summary(const TraceIndex& index);
Answer answer_summary(const TraceIndex& index);

}  // namespace vitro::analyze
