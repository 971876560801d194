// Builds the parts of an index, each in terms of others.
#include "analyze/model/index.h"

namespace vitro::analyze {

TraceIndex::TraceIndex(const Trace& trace)
    : trace_(trace), parts_(std::make_unique<const Parts>(*this)) {}

TraceIndex::~TraceIndex() = default;

using Parts = TraceIndex::Parts;

const Classes& Parts::classes() const {
  return part(classes_, [&] { return Classes(trace()); });
}

const WorkKinds& Parts::kinds() const {
  return part(kinds_, [&] { return WorkKinds(trace(), classes()); });
}

const Waits& Parts::waits() const {
  return part(waits_, [&] { return Waits(trace(), classes()); });
}

const Links& Parts::links() const {
  return part(links_, [&] { return Links(trace(), classes()); });
}

const LaunchTimes& Parts::launched() const {
  return part(launched_, [&] { return LaunchTimes(index_); });
}

const std::vector<Launch>& Parts::launches() const {
  return part(launches_, [&] { return launch_list(index_); });
}

const std::vector<Device>& Parts::devices() const {
  return part(devices_, [&] { return devices_of(trace(), classes()); });
}

const std::vector<bool>& Parts::is_stream() const {
  return part(is_stream_, [&] {
    std::vector<bool> out(trace().tracks().size());
    for (size_t t = 0; t < out.size(); ++t)
      out[t] = !work().track(static_cast<uint32_t>(t)).empty();
    return out;
  });
}

const Timeline& Parts::timeline() const {
  return part(timeline_, [&] { return Timeline(trace()); });
}

const TrackOrder& Parts::host() const {
  return part(host_, [&] {
    return TrackOrder(trace(), [&](EventId e) { return classes().is_host_work(e); });
  });
}

const TrackOrder& Parts::work() const {
  return part(work_, [&] {
    return TrackOrder(trace(), [&](EventId e) { return classes().is_device_work(e); });
  });
}

const std::vector<Step>& Parts::steps() const {
  return part(steps_, [&] { return profiler_steps(trace()); });
}

const std::vector<bool>& Parts::is_step() const {
  return part(is_step_, [&] {
    std::vector<bool> out(trace().names().size());
    for (const Step& step : steps()) out[trace().name_ids()[step.event]] = true;
    return out;
  });
}

const Window& Parts::window() const {
  return part(window_,
              [&] { return steps().empty() ? windows().front().window : windows()[1].window; });
}

const std::vector<NamedWindow>& Parts::windows() const {
  return part(windows_, [&] { return named_windows(trace()); });
}

const std::vector<bool>& Parts::frames() const {
  return part(frames_, [&] { return frames_of(index_); });
}

const std::vector<bool>& Parts::blocks() const {
  return part(blocks_, [&] {
    std::vector<bool> out(trace().size());
    for (const Launch& launch : launches())
      out[launch.call] = classes()[launch.first] == EventClass::copy &&
                         is_blocking_copy(trace().name(launch.first));
    return out;
  });
}

bool Parts::waits_for_device(EventId call) const {
  return blocks()[call] ||
         (classes()[call] == EventClass::runtime && waits()[call] == WaitKind::device);
}

const std::vector<Intervals>& Parts::late() const {
  return part(late_, [&] {
    std::vector<Intervals> out;
    for (const Device& device : devices()) out.push_back(late_computation(index_, device));
    return out;
  });
}

bool Parts::awaits_earlier(EventId call) const {
  if (classes()[call] != EventClass::runtime || waits()[call] != WaitKind::device) return false;
  for (const Device& device : devices())
    if (end_of(trace(), call) > trace().ts()[device.work.front()]) return false;
  return !devices().empty();
}

const SeparateUpdates& Parts::updates() const {
  return part(updates_, [&] { return separate_updates(index_); });
}

const std::vector<DeviceIdle>& Parts::idle() const {
  return part(idle_, [&] { return attribute_idle(index_); });
}

const std::optional<Intervals>& Parts::idle_time() const {
  return part(idle_time_, [&] { return idle_time_in(index_); });
}

const std::unordered_map<EventId, EventId>& Parts::captured() const {
  return part(captured_, [&] { return captured_calls(index_); });
}

EventId Parts::origin_of(EventId device_work) const {
  const auto call = captured().find(device_work);
  return call == captured().end() ? links().launch_of(device_work) : call->second;
}

const Result<std::vector<CompilePhase>>& Parts::compile_phases() const {
  return part(compile_phases_, [&] { return compile_phases_of(index_); });
}

}  // namespace vitro::analyze
