// Why a device was idle: the gaps between the kernels of each stream, and what they waited for.
//   for (const StreamGaps& stream : gaps(index).streams) …
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyze/model/attribution.h"
#include "analyze/model/classes.h"
#include "vitro/analyze/answer.h"

namespace vitro::analyze {

class TraceIndex;

// The kinds are those of HolisticTraceAnalysis (get_idle_time_breakdown), in nanoseconds
// throughout:
//   host     the launch began only when the stream had run dry: the host was late
//   kernel   the launch was there, and the gap is shorter than `short_gap_ns`: the device's own
//            latency between two kernels
//   other    the launch was there and the gap is longer (a wait for another stream, say), or the
//            launch is not in the file, although launches of earlier work on the stream are (what
//            precedes all launches was launched before the recording began)
// Unlike there, overlapping work on a stream does not make a negative gap (a gap counts from the
// latest end so far), and stream waits (event_wait of MTIA) are idle, as in summary.h.  If several
// streams end a gap of their device at the same time, the first (by track) decides its kind.
struct GapOptions {
  int64_t short_gap_ns = analyze::short_gap_ns;
};

// The gaps of a stream, or of a device, which is idle when all of its streams are.
struct StreamGaps {
  uint32_t track = 0;                       // for a device: one of its streams
  uint64_t kernels = 0;                     // including copies and fills
  int64_t span = 0;                         // from the first begin to the last end
  int64_t busy = 0;                         // covered by work
  int64_t host = 0, kernel = 0, other = 0;  // busy + these = span
  uint64_t host_gaps = 0, kernel_gaps = 0, other_gaps = 0;
};

struct Gaps {
  std::vector<StreamGaps> streams, devices;  // those with work, in the order of tracks
};

Gaps gaps(const TraceIndex& index, const GapOptions& options = {});
// Also attributes the idle time of each device in the measured window: each moment once, to its
// most specific cause: what the launching thread did while a launch was late (waits for data,
// locks, sleep, compilation, slow calls, waits for the device, launching, other code), else why the
// launched work did not begin.  What a device graph saves is a part of that: at least the launch
// calls, at most the time of launching and of host code between launches, without a microsecond of
// each gap.  Findings of other analyses about launches and the host are parts of it, too.
Answer answer_gaps(const TraceIndex& index);

}  // namespace vitro::analyze
