// What a run waited for, moment by moment: the chain of host code, launches, kernels and waits at
// whose end the run ended.  Whatever is not on it could take longer without anybody noticing.
//   CriticalPath path = critical_path(trace, {.step = 3});
//   for (const PathSegment& s : path.segments) …      // path.totals[PathKind::compute]
//
// Definition.  The path is walked from its end backwards; at each moment stands what was being
// waited for then:
// - A thread of the host at a moment was in its innermost event.  Where that is a call that waits
//   (a synchronisation, a copy that returns when it is done) and work that it waited for ended
//   within it, the path goes on with that work at its end; the rest of the call is `sync`.
// - Outside of ops and calls a thread may have waited for another one, as the main thread does for
//   that of the backward pass.  Files do not say so; it is taken from the times: one thread worked
//   within the pause of the other, and for half of it at least; or a pause of a millisecond or more
//   ended, within a tenth of it, when the other one stopped.
// - Before work of a device began it waited for what of these was over last, and the path goes on
//   there: the call that launched it (the first work of a graph's launch; a call counts as over
//   when the work begins at the latest), what ran before it on its stream, and work on another
//   stream whose event its stream was told to wait for.  The time from there is `launch_delay`
//   behind a call, else `kernel_delay`, or `device_wait` where it is longer than `short_gap_ns`
//   and thus explained by nothing in the file.
// As every segment takes the time that really passed and they leave nothing out, they sum to the
// window: among all chains of dependencies that end with the run this is a longest one.
//
// What a synchronisation waited for is known where the file has its records (`cuda_sync`, which
// torch.profiler writes with _ExperimentalConfig(enable_cuda_sync_events=True)).  Elsewhere it is
// inferred: a wait for a stream or event is taken to be for what ended last within it, a kernel
// launched behind cudaStreamWaitEvent for what ended last on the other streams.
//
// Unlike HolisticTraceAnalysis (critical_path_analysis), whose edges these are:
// - without records the answer is inferred and says so; there it is "100 % cpu bound";
// - the path reaches over the whole window; there time between ops has no edge, chains break at
//   gaps above 1500 us, and the longest piece is shown as if it were all;
// - no edge is negative: a predecessor ends before its successor begins, by choice;
// - a launch's delay begins when its call returned; there when the call began;
// - it is found by one walk instead of a search through a graph of all events.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vitro/analyze/analyses.h"
#include "vitro/analyze/answer.h"
#include "vitro/analyze/steps.h"

namespace vitro::analyze {

enum class PathKind : uint8_t {
  host_op,        // within an op, or a compiled graph, whose kernels have no events
  host_call,      // within a call of the runtime
  host_other,     // between ops: the interpreter, annotations, nothing recorded
  data_loading,   // on the host, within an event named so
  launch_delay,   // from the end of a launch to the begin of its work
  compute,        // within kernels
  communication,  // within kernels that move data between devices
  copy,           // within copies and fills
  kernel_delay,   // short gaps of a stream
  device_wait,    // long gaps of a stream that nothing explains
  sync,           // a wait, from the end of what was waited for
};
inline constexpr size_t path_kinds = 11;
std::string_view name_of(PathKind kind);

struct PathSegment {
  static constexpr EventId nobody = UINT32_MAX;
  int64_t begin = 0, end = 0;  // nanoseconds from Trace::base()
  PathKind kind = PathKind::host_other;
  // What ran; of delays the work that was late; nobody where nothing was recorded.
  EventId event = nobody;
  uint32_t track = 0;  // of the thread or stream
};

struct PathOptions {
  // What is looked at: one step; else the instance (from 0) of the annotation whose name contains
  // this; else all steps, and without steps all there is.  To its end belongs the work of devices
  // that was launched in it.
  std::optional<int64_t> step = {};
  std::string annotation = {};
  int64_t instance = 0;
  std::string data_loading = "DataLoader";  // in the name of an event
  int64_t short_gap_ns = 30'000;
};

struct CriticalPath {
  Window window;
  std::vector<PathSegment> segments;  // by time, without gaps: they fill the window
  std::array<int64_t, path_kinds> totals{};
  int64_t total(PathKind kind) const { return totals[static_cast<size_t>(kind)]; }
  int64_t device_busy = 0;                       // of the window: some work of a device ran
  uint64_t sync_records = 0;                     // that the file has
  uint64_t known_waits = 0, inferred_waits = 0;  // on the path
  // What most of it is: "host", "data loading", "launches", "compute", "communication", "copies",
  // "gaps of the device", "waits".
  std::string bound_by() const;
};

// Error where there is no such step or annotation.
CriticalPath critical_path(const Trace& trace, const PathOptions& options = {});

// Writes the trace again, with the path as a row of its own and with arrows where it changes
// threads or streams: whole, or not at all.  Error where the file cannot be read again or written.
void write_overlay(const Trace& trace, const CriticalPath& path, const std::string& file);

inline constexpr Parameter path_parameters[] = {
    {"step", "only this step, by its number in ProfilerStep#N", ""},
    {"annotation", "only within an annotation whose name contains this", ""},
    {"instance", "which of those annotations, from 0", "0", Parameter::Kind::number},
    {"data-loading", "what the names of events that load data contain", "DataLoader"},
    {"segments", "list every segment of the path", "", Parameter::Kind::flag},
    {"overlay", "write the trace with the path drawn in to this file (.json, .gz, .zst)", ""},
};
Answer answer_critical_path(const Trace& trace, const Parameters& parameters);

}  // namespace vitro::analyze
