// What a run waited for, moment by moment: the chain of host code, launches, kernels and waits that
// ended with the run.  Anything not on it could take somewhat longer without delaying the run.
//   CriticalPath path = critical_path(index, {.step = 3});
//   for (const PathSegment& s : path.segments) …      // path.totals[PathKind::compute]
//
// Definition.  The path is walked backwards from its end; at each moment it contains what was being
// waited for:
// - A host thread is in its innermost event.  If that is a blocking call (a synchronisation, a
//   copy that returns when it is done) and the awaited work ended within it, the path continues
//   with that work at its end; the rest of the call is `sync`.
// - Outside ops and calls a thread may have waited for another one, as the main thread does for
//   that of the backward pass.  Files do not record this; it is inferred from the times: one thread
//   worked within the pause of the other, and for at least half of it; or a pause of a millisecond
//   or more ended, within a tenth of it, when the other one stopped.
// - Before device work began, it waited for the last of the following to finish, and the path
//   continues there: the call that launched it (for the first work of a graph's launch; a call
//   counts as finished when the work begins, at the latest), the previous work on its stream, and
//   work on another stream whose event its stream had to wait for.  The time in between is
//   `launch_delay` after a call, else `kernel_delay`, or `device_wait` if it is longer than
//   `short_gap_ns` and thus not explained by the file.
//   Work without a launch, in a file that has launches, was launched before the recording began, or
//   not before the launch of the work that precedes it on its stream.
// - A copy whose call returns only when it is done (unpinned memory) was ready when that call
//   began: if earlier work of its stream ended after that, or of any stream where the call waits
//   for all, the copy waited for it, and what the call does afterwards is its own time (staging).
// Since every segment takes the time that really passed, without omissions, they sum to the window:
// among all chains of dependencies that end with the run this is a longest one.
//
// What a synchronisation waited for is known if the file has its records (`cuda_sync`, which
// torch.profiler writes with _ExperimentalConfig(enable_cuda_sync_events=True)).  Otherwise it is
// inferred: a wait for a stream or event is assumed to be for what ended last within it, and a
// kernel launched after cudaStreamWaitEvent for what ended last on the other streams.
//
// Differences from HolisticTraceAnalysis (critical_path_analysis), which defined these edges:
// - without records the answer is inferred and says so; there it is "100 % cpu bound";
// - the path covers the whole window; there, time between ops has no edge, chains break at gaps
//   above 1500 us, and the longest piece is presented as the whole path;
// - no edge is negative: predecessors are chosen to end before their successors begin;
// - a launch delay begins when the call returns; there, when the call begins;
// - it is found by one walk instead of a search of a graph of all events.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/model/attribution.h"
#include "vitro/analyze/answer.h"
#include "vitro/analyze/events.h"
#include "vitro/analyze/questions.h"

namespace vitro::analyze {

enum class PathKind : uint8_t {
  host_op,        // within an op, or a compiled graph whose kernels have no events
  host_call,      // within a runtime call
  host_other,     // between ops: the interpreter, annotations, nothing recorded
  data_loading,   // on the host, within an event so named
  launch_delay,   // from the end of a launch to the begin of its work
  compute,        // within kernels
  communication,  // within communication kernels
  copy,           // within copies and fills
  kernel_delay,   // short gaps of a stream
  device_wait,  // long, unexplained gaps of a stream; calls that wait for work from before the file
  sync,         // a wait, from the end of the awaited work
};
inline constexpr size_t path_kinds = 11;
std::string_view name_of(PathKind kind);

struct PathSegment {
  static constexpr EventId nobody = UINT32_MAX;
  int64_t begin = 0, end = 0;  // nanoseconds from Trace::base()
  PathKind kind = PathKind::host_other;
  // What ran; for delays the delayed work; nobody if nothing was recorded.
  EventId event = nobody;
  uint32_t track = 0;  // thread or stream
};

struct PathOptions {
  // The window to analyze: one step; else the given instance (from 0) of annotations whose name
  // contains `annotation`; else all steps, or without steps everything.  Its end includes device
  // work launched in it.
  std::optional<int64_t> step = {};
  std::string annotation = {};
  int64_t instance = 0;
  std::string data_loading = "DataLoader";  // part of the event's name
  int64_t short_gap_ns = analyze::short_gap_ns;
};

struct CriticalPath {
  Window window;
  std::vector<PathSegment> segments;  // by time, without gaps: they fill the window
  std::array<int64_t, path_kinds> totals{};
  int64_t total(PathKind kind) const { return totals[static_cast<size_t>(kind)]; }
  int64_t device_busy = 0;                       // part of the window in which device work ran
  uint64_t sync_records = 0;                     // in the file
  uint64_t known_waits = 0, inferred_waits = 0;  // on the path
  // The largest part: "host", "data loading", "launches", "compute", "communication", "copies",
  // "gaps of the device", "waits".
  std::string bound_by() const;
};

// Throws Error if there is no such step or annotation.
CriticalPath critical_path(const TraceIndex& index, const PathOptions& options = {});

// Writes a copy of the trace, with the path as a separate row and arrows where it changes threads
// or streams; the file appears complete or not at all.  Throws Error if the trace cannot be read
// again or the copy not written.
void write_overlay(const Trace& trace, const CriticalPath& path, const std::string& file);

inline constexpr Parameter path_parameters[] = {
    {"step", "only this step, by its number in ProfilerStep#N", ""},
    {"annotation", "only within an annotation whose name contains this", ""},
    {"instance", "which of these annotations, from 0", "0", Parameter::Kind::number},
    {"data-loading", "text in the names of data-loading events", "DataLoader"},
    {"segments", "list every segment of the path", "", Parameter::Kind::flag},
    {"overlay", "write the trace with the path drawn into it to this file (.json, .gz, .zst)", ""},
};
Answer answer_critical_path(const TraceIndex& index, const Parameters& parameters);

}  // namespace vitro::analyze
