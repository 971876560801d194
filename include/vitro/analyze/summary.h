// Where the time went: what each device and each thread of the host did, in every step and in all.
//   const Summary s = summary(trace);
//   for (const DeviceTimes& d : s.devices) d.compute + d.communication + d.memory + d.idle
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vitro/analyze/answer.h"
#include "vitro/analyze/steps.h"

namespace vitro::analyze {

// A device in a window, in nanoseconds; the four parts sum to the window.  They are those of
// HolisticTraceAnalysis (get_temporal_breakdown), whose non-compute time is communication + memory
// here.  Overlap counts once: what computes is compute, whatever else runs meanwhile; of the rest,
// what communicates is communication.  Unlike there, work of a device is known by its category (an
// op of the host with an argument `stream` is none), waits of a stream are idle, and times are
// nanoseconds.
struct DeviceTimes {
  uint32_t track = 0;  // one of its streams
  size_t window = 0;   // index in Summary::windows
  int64_t length = 0;
  int64_t compute = 0, communication = 0, memory = 0, idle = 0;
};

// A thread in a window, in nanoseconds; the parts sum to the window.  Each moment belongs to the
// innermost event: an op does not count its calls of the runtime.
struct ThreadTimes {
  uint32_t track = 0;
  size_t window = 0;
  int64_t length = 0;
  int64_t ops = 0, runtime = 0, python = 0, annotations = 0;
  int64_t other = 0;  // of a category that nobody knows
  int64_t idle = 0;   // nothing recorded but a step: waiting, or code that nobody recorded
};

struct Summary {
  // named_windows().  Of "all" each device and thread has its own: from the begin of its first
  // event to the end of its last (of devices HolisticTraceAnalysis's kernel time).  A device is
  // seen during the step of the host.
  std::vector<NamedWindow> windows;
  // By window, then by device or thread; those with nothing in a window are left out.
  std::vector<DeviceTimes> devices;
  std::vector<ThreadTimes> threads;
};

Summary summary(const Trace& trace);
Answer answer_summary(const Trace& trace);

}  // namespace vitro::analyze
