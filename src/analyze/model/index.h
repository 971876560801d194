// The parts of a TraceIndex: what is known about a whole trace, each made when first needed, once.
//   index->links().launch_of(kernel)
//   for (const DeviceIdle& device : index->idle()) …
// Lists by track, name or event have an element for each of the trace.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "analyze/model/attribution.h"
#include "analyze/model/captures.h"
#include "analyze/model/classes.h"
#include "analyze/model/compile_phases.h"
#include "analyze/model/device_work.h"
#include "analyze/model/intervals.h"
#include "analyze/model/launch_list.h"
#include "analyze/model/launch_times.h"
#include "analyze/model/links.h"
#include "analyze/model/optimizers.h"
#include "analyze/model/timeline.h"
#include "analyze/model/waits.h"
#include "vitro/analyze/questions.h"
#include "vitro/base/result.h"

namespace vitro::analyze {

// A value that the first of several threads to ask for it makes.
template <class T>
class Once {
 public:
  template <class Make>
  const T& get(Make make) {
    std::call_once(made_, [&] { value_.emplace(make()); });
    return *value_;
  }

 private:
  std::once_flag made_;
  std::optional<T> value_;
};

class TraceIndex::Parts {
 public:
  explicit Parts(const TraceIndex& index) : index_(index) {}

  const Classes& classes() const;
  const WorkKinds& kinds() const;
  const Waits& waits() const;
  const Links& links() const;
  const LaunchTimes& launched() const;
  const std::vector<Launch>& launches() const;  // launch_list()
  const std::vector<Device>& devices() const;   // devices_of()
  const std::vector<bool>& is_stream() const;   // by track: has device work

  const Timeline& timeline() const;
  const TrackOrder& host() const;  // is_host_work()
  const TrackOrder& work() const;  // is_device_work()

  const std::vector<Step>& steps() const;    // profiler_steps()
  const std::vector<bool>& is_step() const;  // by name
  const Window& window() const;              // measured_window()
  const std::vector<NamedWindow>& windows() const;

  const std::vector<bool>& frames() const;  // frames_of()
  // Calls of copies that return when the copy is done, by event.
  const std::vector<bool>& blocks() const;
  // Whether a call returns when a device has done what it was given: a blocking copy, a
  // synchronising call.
  bool waits_for_device(EventId call) const;
  // By device: late_computation().
  const std::vector<Intervals>& late() const;
  // Whether a call waits for a device before the file has any work of devices: for what was
  // launched before the recording.
  bool awaits_earlier(EventId call) const;
  const SeparateUpdates& updates() const;  // separate_updates()
  // Why each device was idle in window().
  const std::vector<DeviceIdle>& idle() const;
  // When any device was; nothing without devices.  Without the calls that awaits_earlier().
  const std::optional<Intervals>& idle_time() const;
  // By work of device graphs.
  const std::unordered_map<EventId, EventId>& captured() const;  // captured_calls()
  // Where device work was launched, or captured; Links::nobody: not in the file.
  EventId origin_of(EventId device_work) const;
  const Result<std::vector<CompilePhase>>& compile_phases() const;

  // How many parts have been made: a measure of the work done, for tests.
  uint32_t made() const { return made_; }

 private:
  template <class T, class Make>
  const T& part(Once<T>& once, Make make) const {
    return once.get([&] {
      ++made_;
      return make();
    });
  }
  const Trace& trace() const { return index_.trace(); }

  const TraceIndex& index_;
  mutable std::atomic<uint32_t> made_ = 0;
  mutable Once<Classes> classes_;
  mutable Once<WorkKinds> kinds_;
  mutable Once<Waits> waits_;
  mutable Once<Links> links_;
  mutable Once<LaunchTimes> launched_;
  mutable Once<std::vector<Launch>> launches_;
  mutable Once<std::vector<Device>> devices_;
  mutable Once<std::vector<bool>> is_stream_, is_step_, frames_, blocks_;
  mutable Once<Timeline> timeline_;
  mutable Once<TrackOrder> host_, work_;
  mutable Once<std::vector<Step>> steps_;
  mutable Once<Window> window_;
  mutable Once<std::vector<NamedWindow>> windows_;
  mutable Once<SeparateUpdates> updates_;
  mutable Once<std::vector<DeviceIdle>> idle_;
  mutable Once<std::vector<Intervals>> late_;
  mutable Once<std::optional<Intervals>> idle_time_;
  mutable Once<std::unordered_map<EventId, EventId>> captured_;
  mutable Once<Result<std::vector<CompilePhase>>> compile_phases_;
};

}  // namespace vitro::analyze
