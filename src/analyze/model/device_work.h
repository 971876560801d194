// The work of a trace's devices, device by device.
//   for (const Device& device : index->devices()) times_of(trace, index->kinds(), device.work);
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analyze/model/classes.h"
#include "analyze/model/intervals.h"
#include "vitro/analyze/events.h"

namespace vitro::analyze {

class TraceIndex;

// Decided by category and name.  A kernel is communication by is_communication(), memory if its
// name begins with Memcpy, Memset or dma, a wait if it begins with event_ or names a stream wait,
// else computation.  HolisticTraceAnalysis looks at names alone, counts every name that begins with
// hip as communication, and stream waits as computation.
enum class WorkKind : uint8_t { compute, communication, memory, wait };
WorkKind work_kind(EventClass which, std::string_view name);

// The kind of any event of a trace; meaningful only for device work.
class WorkKinds {
 public:
  WorkKinds(const Trace& trace, const Classes& classes);
  WorkKind operator[](EventId event) const {
    return classes_[event] == EventClass::kernel ? by_name_[names_[event]] : WorkKind::memory;
  }

 private:
  const Classes& classes_;
  std::span<const uint32_t> names_;
  std::vector<WorkKind> by_name_;  // of kernels
};

struct Device {
  uint32_t track = 0;         // one of its streams: all carry the device's name
  std::vector<EventId> work;  // on all its streams, by begin
};

// Devices with work, by their number in the trace.
std::vector<Device> devices_of(const Trace& trace, const Classes& classes);

// When work of each kind ran.  Waits are not part of `busy`.
struct WorkTimes {
  Intervals compute, communication, memory;
  Intervals busy;  // union of the three
};
WorkTimes times_of(const Trace& trace, const WorkKinds& kinds, std::span<const EventId> work);

// When a device is idle within the measured window; nothing without devices.
std::optional<Intervals> idle_time_in(const TraceIndex& index);

// An event's end; its begin if it has no duration.
[[gnu::always_inline]] inline int64_t end_of(const Trace& trace, EventId event) {
  return trace.ts()[event] + (trace.dur()[event] > 0 ? trace.dur()[event] : 0);
}

}  // namespace vitro::analyze
