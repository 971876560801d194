// What a host thread waits for, judged by the name of an event: the one list of such names.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analyze/model/classes.h"

namespace vitro::analyze {

enum class WaitKind : uint8_t {
  nothing,
  device,   // for a device to finish its work
  data,     // for the next batch
  lock,     // for a mutex, a condition, a semaphore
  threads,  // for other threads or processes to finish, for a message
  sleep
};
std::string_view name_of(WaitKind kind);

// For a runtime call; for anything else that a host thread does.
WaitKind call_wait(std::string_view name);
WaitKind other_wait(std::string_view name);

// Whether the call that launches this copy blocks until it is done: one side is unpinned host
// memory.
bool is_blocking_copy(std::string_view name);

// The wait of each event of a trace, looked up by the number of its name.
class Waits {
 public:
  Waits(const Trace& trace, const Classes& classes);
  WaitKind operator[](EventId event) const {
    return (classes_[event] == EventClass::runtime ? of_calls_ : of_others_)[names_[event]];
  }

 private:
  const Classes& classes_;
  std::span<const uint32_t> names_;
  std::vector<WaitKind> of_calls_, of_others_;
};

}  // namespace vitro::analyze
