// How code says that something happened.
//   events::OpScope op{{add_name}};                      // begins here, ends with the scope
//   events::record(events::Allocated{address, bytes, live});
// While no session runs this is one predictable branch.  While one runs the event goes into a
// buffer of the calling thread: a clock read and its stores, no lock.  Any thread.
#pragma once

#include <atomic>

#include "vitro/events/kinds.h"

namespace vitro::events {

namespace detail {

extern constinit std::atomic<uint32_t>
    session;  // number of the session that runs, 0 while none does

// Appends an event of the frequent kinds to the calling thread's buffer.
template <Event E>
void append(E event, uint32_t in_session);

}  // namespace detail

// Does a session run?
inline bool recording() {
  return detail::session.load(std::memory_order_relaxed) != 0;
}

// Records one of the frequent kinds, stamped with the present moment.  True if a session runs.
template <Event E>
inline bool record(const E& event) {
  const uint32_t session = detail::session.load(std::memory_order_relaxed);
  if (session == 0) [[likely]]
    return false;
  detail::append(event, session);
  return true;
}

// A begin now and its end with the scope.
template <Event Begin, Event End>
class Scope {
 public:
  explicit Scope(const Begin& begin) : begun_(record(begin)) {}
  Scope(const Scope&) = delete;
  ~Scope() {
    if (begun_) [[unlikely]]
      record(End{});
  }

 private:
  bool begun_;
};
using OpScope = Scope<OpBegin, OpEnd>;
using KernelScope = Scope<KernelBegin, KernelEnd>;
using RegionScope = Scope<RegionBegin, RegionEnd>;
using RangeScope = Scope<RangeBegin, RangeEnd>;

// What the calling thread is called in recordings; the system's name for it while this was not
// called.
void name_this_thread(std::string_view name);

}  // namespace vitro::events
