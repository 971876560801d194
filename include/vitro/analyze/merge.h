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
// - Kernels run one after another, in the order of their launches, on one stream: each begins
//   `latency_us` after the begin of its launch, or when the previous one ends, whichever is later.
// - The kernels are added, with an arrow (`ac2g`) from each launch to its kernel, and a counter of
//   memory if the file has it.  The trace of the host stays as it is.
// Unlike in the guide, a name is ignored only if it is equal (there `aten::t` also matches
// aten::tanh), leaves are found per thread, and the search costs n log n instead of n^2.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vitro/analyze/answer.h"

namespace vitro::analyze {

struct MergeOptions {
  std::vector<std::string> ignored = {
      "aten::view",        "aten::reshape",      "aten::t",     "aten::empty",
      "aten::transpose",   "aten::as_strided",   "aten::item",  "aten::_local_scalar_dense",
      "aten::result_type", "aten::_unsafe_view", "aten::expand"};
  double threshold_us = 0;
  double latency_us = 0;
  std::string device = "0", stream = "0";  // names of the kernels' rows
};

struct MergeResult {
  uint64_t times = 0;    // in the file of times
  uint64_t kernels = 0;  // added to the trace
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

}  // namespace vitro::analyze
