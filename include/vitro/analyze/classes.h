// What an event stands for, by its category: the one list of what writers of traces call things.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "vitro/analyze/trace.h"

namespace vitro::analyze {

enum class EventClass : uint8_t {
  other,         // nothing below
  op,            // an op, a compiled region, a compile phase on the host
  annotation,    // a range that the user named, on the host
  python,        // a function of the interpreter
  runtime,       // a call of a device's runtime or driver: launches, copies, waits
  overhead,      // of the profiler itself
  kernel,        // computes (or communicates) on a device
  copy,          // moves memory to, from or on a device
  set,           // fills memory on a device
  device_range,  // the device's side of an annotation: spans work, is none
  sync,          // a wait, as the device saw it
  instant,       // a moment on the host: memory, a break
  counter,
  flow,      // one end of an arrow
  metadata,  // names of threads and processes, the recording itself
  share      // of a thread in what another one launched: lies beside that, not inside
};
std::string_view name_of(EventClass which);

// Whether it is an end of an arrow, or a place that one passes.
inline bool is_arrow(char phase) {
  return phase == 's' || phase == 't' || phase == 'f';
}

// By category and phase.  Old spellings (`Kernel`, `Runtime`) and those of other devices (XPU,
// MTIA, HPU, PrivateUse1) are known; a category that nobody knows is `other`.
EventClass class_of(std::string_view category, char phase);

// Of every event of a trace: looked up by its category's number, so it costs nothing per event.
class Classes {
 public:
  explicit Classes(const Trace& trace);
  [[gnu::always_inline]] EventClass operator[](EventId event) const {
    const char phase = phases_[event];
    return phase == 'X' ? by_category_[categories_[event]]
                        : by_phase_[static_cast<unsigned char>(phase)];
  }
  // Work of a device: kernels, copies, fills.
  bool is_device_work(EventId event) const {
    const EventClass which = (*this)[event];
    return which == EventClass::kernel || which == EventClass::copy || which == EventClass::set;
  }
  // What a thread of the host does: ops, annotations, functions, calls of a runtime; what nobody
  // knows too, where it lies on no stream.
  bool is_host_work(EventId event) const {
    const EventClass which = (*this)[event];
    return which == EventClass::op || which == EventClass::annotation ||
           which == EventClass::python || which == EventClass::runtime ||
           (which == EventClass::other && phases_[event] == 'X');
  }

 private:
  std::span<const char> phases_;
  std::span<const uint16_t> categories_;
  std::vector<EventClass> by_category_;   // of complete events
  std::array<EventClass, 256> by_phase_;  // of others
};

// Whether a kernel moves data between devices rather than computing: NCCL, RCCL, HCCL, oneCCL.
bool is_communication(std::string_view kernel_name);

}  // namespace vitro::analyze
