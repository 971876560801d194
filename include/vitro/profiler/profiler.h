// Records what a program does, and reports where the time went.
//
//   vitro::Profiler profiler;                       // recording begins
//   Tensor y = fast(x);
//   {
//     vitro::RecordFunction range("second call");   // a named stretch of time
//     y = fast(x);
//   }
//   profiler.stop();
//   std::cout << profiler.averages().table();       // per name: calls, time, share, rates
//   profiler.write_trace("trace.json.gz");          // for Perfetto, chrome://tracing, HTA
//
// It records ops (`aten::…`), generated kernels with their bytes and FLOPs, compiled regions, named
// ranges, compile phases, and graph breaks, guard failures, recompiles and fallbacks with code,
// reason and place, on all threads, including those that start later.  An op costs about two clock
// reads while a profiler records and a branch otherwise.  Profiling does not cause anything to be
// recompiled.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/events/record.h"
#include "vitro/profiler/averages.h"
#include "vitro/profiler/function_events.h"
#include "vitro/profiler/options.h"
#include "vitro/profiler/profile.h"
#include "vitro/profiler/record_function.h"

namespace vitro {

// Only one may run at a time in a process; a second throws Error.  Starting and stopping is safe
// while other threads run; the object itself belongs to one thread at a time.
class Profiler {
 public:
  explicit Profiler(ProfilerOptions options = {});  // starts
  ~Profiler();  // stops; an exception from on_trace_ready becomes a warning
  Profiler(const Profiler&) = delete;

  // Stops, ending the cycle that is being recorded; does nothing if not running.
  void stop();
  // Starts again with step 0.  Discards earlier recordings, unless acc_events.
  void start();

  // Ends a step of the program and begins the next.  Recorded steps are ranges ProfilerStep#N on
  // the calling thread, where N counts all steps from 0.  They nest: a step that ends inside a
  // range does not begin before that range.  Recording begins or ends here according to the
  // schedule.  Does nothing while the profiler is not running.
  void step();
  // The current step; while step() calls on_trace_ready, the one about to begin, as in PyTorch.
  int64_t step_number() const;

  // false: nothing is recorded until it is set to true again.
  void set_collecting(bool collecting);

  // Added to the trace under that key, as text or as JSON.  Throws Error if `json` is not valid,
  // and for keys that every trace has.
  void add_metadata(std::string key, std::string_view text);
  void add_metadata_json(std::string key, std::string json);

  // What was recorded until stop() or the end of the cycle, as typed records.  Throws Error while
  // recording, and if nothing was recorded yet.
  const Profile& profile() const;

  // Sums per name, or per name and group.
  Averages key_averages(const GroupBy& group = {}) const;
  Averages averages() const { return key_averages(); }

  // Every slice separately, thread by thread.
  std::vector<FunctionEvent> events() const { return function_events(profile()); }

  // Writes a Chrome trace like PyTorch's profiler, or a Perfetto trace if the name ends in .pftrace
  // or .perfetto-trace; compressed if followed by .gz or .zst.  {rank} and {pid} in the name are
  // replaced.  The file appears complete or not at all.  Throws Error if it cannot be written.
  void write_trace(const std::string& path) const;

  // Writes a line for each stack of ranges, regions, ops and kernels: "thread;outer;inner 1234",
  // the format of flame-graph tools.  `metric` is one of call_tree.h: self_cpu_time_total
  // (nanoseconds), self_cpu_memory_usage (bytes), calls.  If recorded with_stack they appear below
  // the functions that called them, unless `functions` is false.
  void export_stacks(const std::string& path, std::string_view metric = "self_cpu_time_total",
                     bool functions = true) const;

  // Writes a flame graph as an SVG for browsers; click to zoom.
  void write_flame_graph(const std::string& path, std::string_view metric = "self_cpu_time_total",
                         bool functions = true) const;

  // Writes how much memory of each category was allocated over time, like PyTorch: NAME.html is a
  // page with a plot, NAME.raw.json lists every change, other names are JSON sums; .gz or .zst may
  // follow. Throws Error unless memory was profiled.
  void export_memory_timeline(const std::string& path) const;

  // Writes an execution trace (MLCommons Chakra) like PyTorch's ExecutionTraceObserver: the nesting
  // of what ran, with its inputs if shapes were recorded, and dependencies if tensors were.
  void write_execution_trace(const std::string& path) const;

 private:
  struct State;
  // False, with a warning, if the whole program is being recorded instead of by this profiler: an
  // empty file would replace an earlier one.
  bool has_what_to_write(const std::string& path) const;
  std::unique_ptr<State> state_;
};

// Does an empty profile.  On devices whose graph replays can be recorded only if a profiler ran
// before, call this at the beginning of a program; it is harmless, even while a profiler runs.
void init_for_device_graphs();

}  // namespace vitro
