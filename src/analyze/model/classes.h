// What kind of thing an event is, by its category: the one list of the names that trace writers
// use.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "vitro/analyze/trace.h"

namespace vitro::analyze {

// The class of each event of a trace, looked up by the number of its category: nothing is stored
// per event.
class Classes {
 public:
  explicit Classes(const Trace& trace);
  [[gnu::always_inline]] EventClass operator[](EventId event) const {
    const char phase = phases_[event];
    return phase == 'X' ? by_category_[categories_[event]]
                        : by_phase_[static_cast<unsigned char>(phase)];
  }
  // Device work: kernels, copies, fills.
  bool is_device_work(EventId event) const {
    const EventClass which = (*this)[event];
    return which == EventClass::kernel || which == EventClass::copy || which == EventClass::set;
  }
  // Host work: ops, annotations, functions, runtime calls; also unknown categories, unless on a
  // stream.
  bool is_host_work(EventId event) const {
    const EventClass which = (*this)[event];
    return which == EventClass::op || which == EventClass::annotation ||
           which == EventClass::python || which == EventClass::runtime ||
           which == EventClass::phase || (which == EventClass::other && phases_[event] == 'X');
  }

 private:
  std::span<const char> phases_;
  std::span<const uint16_t> categories_;
  std::vector<EventClass> by_category_;   // for complete events
  std::array<EventClass, 256> by_phase_;  // for others
};

// Whether a kernel moves data between devices rather than computing: NCCL, RCCL, HCCL, oneCCL.
bool is_communication(std::string_view kernel_name);

}  // namespace vitro::analyze
