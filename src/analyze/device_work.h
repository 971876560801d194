// What the devices of a trace did, device by device.
//   const WorkKinds kinds(trace, classes);
//   for (const Device& device : devices_of(trace, classes)) times_of(trace, kinds, device.work);
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analyze/intervals.h"
#include "vitro/analyze/classes.h"

namespace vitro::analyze {

// By category and name.  A kernel is communication by is_communication(), memory where its name
// begins with Memcpy, Memset or dma, a wait where it begins with event_ or names a wait of the
// stream, else computation.  HolisticTraceAnalysis asks names alone, takes every name that begins
// with hip as communication, and waits of the stream as computation.
enum class WorkKind : uint8_t { compute, communication, memory, wait };
WorkKind work_kind(EventClass which, std::string_view name);

// Of every event of a trace: of device work alone it means something.
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
  uint32_t track = 0;         // one of its streams: they share the names of the device
  std::vector<EventId> work;  // of all its streams, by begin
};

// Those with work, by their number in the trace.
std::vector<Device> devices_of(const Trace& trace, const Classes& classes);

// When work of each kind ran.  Waits are in `busy` of nobody.
struct WorkTimes {
  Intervals compute, communication, memory;
  Intervals busy;  // all three
};
WorkTimes times_of(const Trace& trace, const WorkKinds& kinds, std::span<const EventId> work);

// An event's end; its begin where it has no duration.
[[gnu::always_inline]] inline int64_t end_of(const Trace& trace, EventId event) {
  return trace.ts()[event] + (trace.dur()[event] > 0 ? trace.dur()[event] : 0);
}

}  // namespace vitro::analyze
