// Records what a program does, and says where the time went.
//
//   vitro::Profiler profiler;                       // recording begins
//   Tensor y = fast(x);
//   {
//     vitro::RecordFunction range("second call");   // a stretch of time with a name of yours
//     y = fast(x);
//   }
//   profiler.stop();
//   std::cout << profiler.averages().table();       // per name: calls, time, share, rates
//   profiler.write_trace("trace.json.gz");          // for Perfetto, chrome://tracing, HTA
//
// Recorded are ops (`aten::…`), generated kernels with their bytes and FLOPs, compiled regions,
// your ranges, compile phases, and graph breaks, guard failures, recompiles and fallbacks with
// code, reason and place: on all threads, those included that start later.  An op costs about two
// clock reads while a profiler records and a branch while none does.  What was compiled before is
// not recompiled for the profiler's sake.
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

// One may run at a time in a process; a second is an Error.  Start and stop are safe while other
// threads run; the object itself belongs to one thread at a time.
class Profiler {
 public:
  explicit Profiler(ProfilerOptions options = {});  // starts
  ~Profiler();  // stops; what on_trace_ready throws then becomes a warning
  Profiler(const Profiler&) = delete;

  // Stops, and ends the cycle if one is being recorded; does nothing where it does not run.
  void stop();
  // Begins anew with step 0.  Forgets what it had, unless acc_events.
  void start();

  // A step of the program has ended and the next one begins.  Recorded steps are ranges
  // ProfilerStep#N on the calling thread, N counting all steps from 0.  They nest: a step that ends
  // inside of a range begins no earlier than that range.  Where the schedule says so, recording
  // begins or ends here.  Does nothing while the profiler does not run.
  void step();
  // The step that runs; while step() calls on_trace_ready the one that begins then, as in PyTorch.
  int64_t step_number() const;

  // false: nothing is recorded until it is true again.
  void set_collecting(bool collecting);

  // Goes into the trace under that key, as text or as JSON.  Error where `json` is none, and for
  // the keys that a trace has anyway.
  void add_metadata(std::string key, std::string_view text);
  void add_metadata_json(std::string key, std::string json);

  // What was recorded until stop() or the end of the cycle, as typed records.  Error while it
  // records, and where nothing was recorded yet.
  const Profile& profile() const;

  // Sums per name, or per name and what else makes a group.
  Averages key_averages(const GroupBy& group = {}) const;
  Averages averages() const { return key_averages(); }

  // Every slice by itself, thread after thread.
  std::vector<FunctionEvent> events() const { return function_events(profile()); }

  // Writes a Chrome trace as PyTorch's profiler does, or a Perfetto trace if the name ends in
  // .pftrace or .perfetto-trace; compressed if .gz or .zst come after that.  {rank} and {pid} in
  // the name are filled in.  The file appears whole or not at all.  Error where it cannot be
  // written.
  void write_trace(const std::string& path) const;

  // Writes a line for each stack of ranges, regions, ops and kernels: "thread;outer;inner 1234",
  // what flame-graph tools read.  `metric` as in call_tree.h: self_cpu_time_total (nanoseconds),
  // self_cpu_memory_usage (bytes), calls.  Recorded with_stack they stand below the functions that
  // called them, unless `functions` is false.
  void export_stacks(const std::string& path, std::string_view metric = "self_cpu_time_total",
                     bool functions = true) const;

  // Writes a flame graph, an SVG that a browser shows; a click zooms.
  void write_flame_graph(const std::string& path, std::string_view metric = "self_cpu_time_total",
                         bool functions = true) const;

  // Writes how much memory of each category was allocated when, as PyTorch does: NAME.html a page
  // with the plot, NAME.raw.json every change, else JSON sums; .gz or .zst may follow.  Error
  // unless memory was profiled.
  void export_memory_timeline(const std::string& path) const;

  // Writes an execution trace (MLCommons Chakra) as PyTorch's ExecutionTraceObserver does: what ran
  // in what, with its inputs if shapes were recorded, and what depends on what if tensors were.
  void write_execution_trace(const std::string& path) const;

 private:
  struct State;
  // False, with a warning, where the whole program is recorded in place of this profiler: a file of
  // nothing would take the place of an earlier one.
  bool has_what_to_write(const std::string& path) const;
  std::unique_ptr<State> state_;
};

// Profiles nothing.  Where replays of device graphs cannot be recorded unless a profiler ran first,
// this is called at the beginning of a program; it does no harm, to a profiler that runs neither.
void init_for_device_graphs();

}  // namespace vitro
