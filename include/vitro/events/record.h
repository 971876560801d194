// How code says that something happened.
//   events::OpScope op{{add_name}};                      // begins here, ends with the scope
//   events::record(events::Allocated{address, bytes, live});
//   if (events::wants(events::Detail::shapes)) events::record_tail(events::Inputs{}, bytes);
// While no session runs this is one predictable branch.  While one runs the event goes into a
// buffer of the calling thread: a clock read and its stores, no lock.  Any thread.
#pragma once

#include <atomic>

#include "vitro/events/kinds.h"

namespace vitro::events {

namespace detail {

// The session that runs, 0 while none does: its number, and below it the bits of its options, so
// that one load says everything.  The highest of these: there is a tap.
extern constinit std::atomic<uint32_t> session;
inline constexpr uint32_t option_bits = 8, tapped = 1u << 7;

// Appends an event of the frequent kinds to the calling thread's buffer.
template <Event E>
void append(E event, uint32_t in_session);
template <TailEvent E>
void append_tail(const E& event, std::span<const std::byte> tail, uint32_t in_session);

// Whether a session takes events of this kind.
template <Event E>
inline bool takes(uint32_t in_session) {
  if constexpr (requires { E::needs; }) {
    return (in_session & Details(E::needs).bits) != 0;
  } else {
    return in_session != 0;
  }
}

}  // namespace detail

// Does anybody want events, a session or a tap?
inline bool recording() {
  return detail::session.load(std::memory_order_relaxed) != 0;
}

// Does a session run?
inline bool in_session() {
  return detail::session.load(std::memory_order_relaxed) >> detail::option_bits != 0;
}

// Does a session run that records one of these?
inline bool wants(Details details) {
  return (detail::session.load(std::memory_order_relaxed) & details.bits) != 0;
}

// Records one of the frequent kinds, stamped with the present moment.  True if anybody takes it.
template <Event E>
  requires(!TailEvent<E>)
inline bool record(const E& event) {
  const uint32_t session = detail::session.load(std::memory_order_relaxed);
  if (!detail::takes<E>(session)) [[likely]]
    return false;
  detail::append(event, session);
  return true;
}

// The longest tail; of a longer one nothing is recorded, and it counts as dropped.
inline constexpr size_t max_tail = 16 << 10;

// The same for kinds that are followed by bytes.
template <TailEvent E>
inline bool record_tail(const E& event, std::span<const std::byte> tail) {
  const uint32_t session = detail::session.load(std::memory_order_relaxed);
  if (!detail::takes<E>(session)) [[likely]]
    return false;
  detail::append_tail(event, tail, session);
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
using EagerScope = Scope<EagerBegin, EagerEnd>;

// Hears each frequent event as it happens, on its thread, without moment and tail: those who mark
// events in other tools.  Events::read(kind, event, visit) reads it.  There is one tap, null ends
// it; a call that has begun may still hear of its event afterwards.
using Tap = void (*)(uint8_t kind, const std::byte* event);
void set_tap(Tap tap);

// What the calling thread is called in recordings; the system's name for it while this was not
// called.
void name_this_thread(std::string_view name);

}  // namespace vitro::events
