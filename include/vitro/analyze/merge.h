// Merging what was recorded separately.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vitro/analyze/answer.h"
#include "vitro/analyze/compare.h"

namespace vitro::analyze {

// Adds the kernels of a device whose profiler records only times to the trace of the host.
//   auto merged = merge(*Trace::open("prof_0.json"), "kernel_event_0.json", "merged_0.json.gz");
//
// Input.  The trace of the host, and a file of times as described in PyTorch's guide for extension
// backends (`kernel_event_{rank}.json`, made from prof.profiler.function_events): an object whose
// keys are NAME_ID_THREAD (name, `External id` and thread of a host event; threads are numbered
// 1..n in the order of their ids, among those whose events have an `External id`) and whose values
// have `kernel_time` (microseconds) and, if known, `device_memory_usage` (bytes).
//
// Result:
// - A kernel is valid if it took at least the threshold and its name is not ignored: ops that only
//   make a view of a tensor run nothing on a device.
// - Only leaves among valid kernels ran: an op in which another valid kernel was launched measured
//   that one too.
// - An entry may have `stream`.  Others run on the stream of the options, those of communication
//   (names of its libraries, or with c10d or all_reduce) on one of their own, after what was
//   launched before them; what is launched after a later cudaStreamWaitEvent runs after them.
// - On a stream kernels run one after another, in the order of their launches: each begins
//   `latency_us` after the begin of its launch, or `gap_us` after the end of the previous one,
//   whichever is later.  The launch is the runtime call within the op, if that is recorded.
// - Entries whose ids are lower than all in the trace were launched before the recording: they run
//   first, from its begin.
// - The kernels are added, with an arrow (`ac2g`) from each launch to its kernel, and a counter of
//   memory if the file has it.  The trace of the host stays as it is.
// Unlike in the guide, a name is ignored only if it is equal (there `aten::t` also matches
// aten::tanh), leaves are found per thread, and the search costs n log n instead of n^2.

struct MergeOptions {
  std::vector<std::string> ignored = {
      "aten::view",        "aten::reshape",      "aten::t",     "aten::empty",
      "aten::transpose",   "aten::as_strided",   "aten::item",  "aten::_local_scalar_dense",
      "aten::result_type", "aten::_unsafe_view", "aten::expand"};
  double threshold_us = 0;
  double latency_us = 0;
  double gap_us = 1;                       // most streams take about that to begin the next kernel
  std::string device = "0", stream = "0";  // names of the kernels' rows
};

struct MergeResult {
  uint64_t times = 0;    // in the file of times
  uint64_t kernels = 0;  // added to the trace
  uint64_t before = 0;   // of these: launched before the recording
  uint64_t ignored = 0, too_short = 0, not_leaves = 0, not_found = 0;
  int64_t kernel_ns = 0;  // of the kernels
  int64_t waited_ns = 0;  // time spent after their launches waiting for the previous one
};

// Writes the trace of the host with the kernels to `out` (.json, .gz, .zst), which appears complete
// or not at all.  Fails if an input cannot be read; throws Error if `out` cannot be written.
Result<MergeResult> merge(const Trace& host, const std::string& times, const std::string& out,
                          const MergeOptions& options = {});

// `times`, or if that is a folder, the file kernel_event_{rank}.json in it for the trace's rank.
// Throws Error if there is none.
std::string times_file(const Trace& host, const std::string& times);

Answer answer_merge(const MergeResult& result);

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

// Merges the traces of all ranks of a run into one, with a common clock.
//   auto merged = merge_ranks(trace_files({"traces/"}), "all.json.gz");
//
// - The rank of a trace and its clock offset are those of compare.h: aligned by the ends of
//   collectives; a rank that shares none keeps its own clock.  Times count from the first rank's
//   base.
// - Processes are kept apart: pid P of rank R becomes (R + 1) * 10,000,000 + P, or "rank R P" if it
//   is not such a number; each process gets the label "rank R" before its own labels.
// - Numbers that link events (correlation, External id, ids of arrows) are shifted by R * 2^33, so
//   that events of different ranks are never linked.
// One trace is open at a time.

struct MergedRanks {
  struct Rank {
    int64_t rank = 0;
    std::string file;
    uint64_t events = 0, broken = 0;  // written; invalid JSON: dropped
    int64_t clock_offset = 0;         // nanoseconds, added to its times
    bool aligned = false;
  };
  std::vector<Rank> ranks;
};

// Writes `out` (.json, .gz, .zst), which appears complete or not at all.  Fails if a file cannot be
// read, if two are of the same rank, or if there is only one.
Result<MergedRanks> merge_ranks(const std::vector<std::string>& files, const std::string& out,
                                const LoadOptions& options = {});
Answer answer_merged(const MergedRanks& merged);

// The pids whose name or labels contain this rank: "rank 3", "Rank3", "[rank 3] GPU".  If there are
// none: all if the file itself is of this rank (`distributedInfo`), else none.
std::vector<std::string> processes_of_rank(const Trace& trace, int64_t rank);

}  // namespace vitro::analyze
