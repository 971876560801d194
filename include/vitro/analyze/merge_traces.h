// Adds device work that was recorded separately to the trace of its host.
//   auto merged = merge_traces(*Trace::open("host.json"), *Trace::open("device.json.gz"),
//                              "both.json.gz");
//
// Input.  Two traces, each with its own clock: one of the host (ops, runtime calls), one of devices
// (kernels, copies, fills, their ranges, waits and counters), written by a vendor's profiler or
// another process.
//
// Result.  The trace of the host stays as it is.  The rows of the devices are added, by the host's
// clock; runtime calls, if the host's trace lacks them; and an arrow (ac2g) from each launch to its
// work.  A launch is the call with the same `correlation`, else the op with the same `External id`.
//
// Clocks.  Work begins after the begin of its launch, and work launched before a device
// synchronisation has ended when that returns: so the offset has a lower and often an upper bound.
// - The clocks as recorded are used if they fit: the promptest work begins within 10 ms after its
//   launch (up to 10 us before it is tolerated as jitter), and no wait ends before its work.
// - Else the lower bound plus `latency_us` is used: the delay of the promptest work.
// - Without common launches, the steps of both (ProfilerStep#N) are used in the same way; without
//   those, the clocks as recorded, if the times of both overlap.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "vitro/analyze/answer.h"

namespace vitro::analyze {

struct MergeTracesOptions {
  double latency_us = 0;
  std::optional<double> offset_us = {};  // offset to add to device times, instead of the above
};

struct MergedTraces {
  uint64_t work = 0;         // kernels, copies, fills added to the trace
  uint64_t calls = 0;        // runtime calls
  uint64_t others = 0;       // ranges, waits, counters, names of rows
  uint64_t linked = 0;       // work whose launch is known
  uint64_t broken = 0;       // events that are invalid JSON: dropped
  std::string clock_by;      // "correlation", "External id", "steps", "as recorded"…
  int64_t clock_offset = 0;  // nanoseconds, added to the devices' times
  std::optional<int64_t> clock_room =
      {};  // how much larger it could be; negative: waits contradict it
};

// Writes `out` (.json, .gz, .zst), which appears complete or not at all.  Fails if an input cannot
// be read again, `devices` has no work, both have work on the same stream, or the clock offset
// cannot be determined.
Result<MergedTraces> merge_traces(const Trace& host, const Trace& devices, const std::string& out,
                                  const MergeTracesOptions& options = {});
Answer answer_merged(const MergedTraces& merged);

}  // namespace vitro::analyze
