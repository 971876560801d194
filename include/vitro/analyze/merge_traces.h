// Work of devices that was recorded apart from its host, put into the trace of the host.
//   auto merged = merge_traces(*Trace::open("host.json"), *Trace::open("device.json.gz"),
//                              "both.json.gz");
//
// What comes in.  Two traces with times of their own: one of the host (ops, calls of the runtime),
// one of devices (kernels, copies, fills, their ranges, waits and counters), as a profiler of the
// vendor or another process leaves it.
//
// What is made of them.  The trace of the host stays as it is.  Added are the rows of the devices,
// by the host's clock; calls of the runtime, where the host's trace lacks them; and an arrow (ac2g)
// from each launch to its work.  A launch is the call of the same `correlation`, else the op of the
// same `External id`.
//
// Clocks.  Work begins behind the begin of its launch, and what was launched before a
// synchronisation of the device has ended when that returns: so the offset has a least and often a
// most value.
// - The clocks as recorded are taken where they fit: the promptest work begins within 10 ms behind
//   its launch (10 us before it pass for jitter), and no wait ends before its work.
// - Else the least offset, plus `latency_us`: the promptest work begins so long after its launch.
// - Without launches in common the steps of both (ProfilerStep#N) tell in the same way; without
//   those the clocks as recorded, where the times of both overlap.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "vitro/analyze/answer.h"

namespace vitro::analyze {

struct MergeTracesOptions {
  double latency_us = 0;
  std::optional<double> offset_us = {};  // what to add to the devices' times, instead of the above
};

struct MergedTraces {
  uint64_t work = 0;                       // kernels, copies, fills put into the trace
  uint64_t calls = 0;                      // of the runtime
  uint64_t others = 0;                     // ranges, waits, counters, names of rows
  uint64_t linked = 0;                     // work whose launch is known
  uint64_t broken = 0;                     // events that are no JSON: left out
  std::string clock_by;                    // "correlation", "External id", "steps", "as recorded"…
  int64_t clock_offset = 0;                // nanoseconds, added to the devices' times
  std::optional<int64_t> clock_room = {};  // how much more it could be; below 0: waits contradict
};

// Writes `out` (.json, .gz, .zst), which appears whole or not at all.  Fails where an input cannot
// be read again, `devices` has no work, both have work on the same stream, or nothing tells how
// their clocks lie.
Result<MergedTraces> merge_traces(const Trace& host, const Trace& devices, const std::string& out,
                                  const MergeTracesOptions& options = {});
Answer answer_merged(const MergedTraces& merged);

}  // namespace vitro::analyze
