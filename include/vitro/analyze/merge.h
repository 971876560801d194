// A device that its profiler knows only by events: its kernels put into the trace of the host.
//   auto merged = merge(*Trace::open("prof_0.json"), "kernel_event_0.json", "merged_0.json.gz");
//
// What comes in.  The trace of the host, and a file of times as the guide for extension backends of
// PyTorch has it (`kernel_event_{rank}.json`, made of prof.profiler.function_events): an object
// whose keys are NAME_ID_THREAD (name, `External id` and thread of an event of the host; threads
// are counted 1..n in the order of their ids, among those whose events have an `External id`) and
// whose values have `kernel_time` (microseconds) and, where known, `device_memory_usage` (bytes).
//
// What is made of them:
// - A kernel is valid where it took the threshold at least and its name is not ignored: ops that
//   only look at a tensor anew run nothing on a device.
// - Of valid kernels only leaves ran: an op in which another valid kernel was launched measured
// that
//   one too.
// - Kernels run one after another, in the order of their launches, on one stream: each begins
//   `latency_us` behind the begin of its launch, or when the one before it ends, whichever is
//   later.
// - Added are the kernels, an arrow (`ac2g`) from each launch to its kernel, and a counter of the
//   memory where the file has it.  The trace of the host stays as it is.
// Unlike in the guide a name is ignored only if it is the same (there `aten::t` takes aten::tanh
// with it), leaves are found per thread, and the search costs n log n instead of n^2.
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
  std::string device = "0", stream = "0";  // what the rows of the kernels are called
};

struct MergeResult {
  uint64_t times = 0;    // in the file of times
  uint64_t kernels = 0;  // put into the trace
  uint64_t ignored = 0, too_short = 0, not_leaves = 0, not_found = 0;
  int64_t kernel_ns = 0;  // of the kernels
  int64_t waited_ns = 0;  // that they waited behind their launches for the one before
};

// The trace of the host with the kernels in `out` (.json, .gz, .zst), which appears whole or not at
// all.  Fails where an input cannot be read; Error where `out` cannot be written.
Result<MergeResult> merge(const Trace& host, const std::string& times, const std::string& out,
                          const MergeOptions& options = {});

// `times`, or where that is a folder the file kernel_event_{rank}.json in it, by the rank of the
// trace.  Error where there is none.
std::string times_file(const Trace& host, const std::string& times);

Answer answer_merge(const MergeResult& result);

}  // namespace vitro::analyze
