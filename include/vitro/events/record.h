// Recording of frequent events.
//   events::OpScope op{{add_name}};                      // begins here, ends with the scope
//   events::record(events::Allocated{address, bytes, live});
//   if (events::wants(events::Detail::shapes)) events::record_tail(events::Inputs{}, bytes);
// Without a session this costs one predictable branch.  With one, the event is written to a buffer
// of the calling thread: a clock read and the stores, no lock.  Thread-safe.
#pragma once

#include <atomic>

#include "vitro/events/kinds.h"

namespace vitro::events {

namespace detail {

// The running session, or 0: its number in the high bits and its options in the low option_bits, so
// that one load suffices.  The highest option bit is set while a tap is installed.
extern constinit std::atomic<uint32_t> session;
inline constexpr uint32_t option_bits = 8, tapped = 1u << 7;

// Appends an event of the frequent kinds to the calling thread's buffer.
template <Event E>
void append(E event, uint32_t in_session);
template <TailEvent E>
void append_tail(const E& event, std::span<const std::byte> tail, uint32_t in_session);

// Returns whether the session records events of this kind.
template <Event E>
inline bool takes(uint32_t in_session) {
  if constexpr (requires { E::needs; }) {
    return (in_session & Details(E::needs).bits) != 0;
  } else {
    return in_session != 0;
  }
}

}  // namespace detail

// Returns whether a session or a tap receives events.
inline bool recording() {
  return detail::session.load(std::memory_order_relaxed) != 0;
}

// Returns whether a session runs.
inline bool in_session() {
  return detail::session.load(std::memory_order_relaxed) >> detail::option_bits != 0;
}

// Returns whether a session runs that records at least one of these.
inline bool wants(Details details) {
  return (detail::session.load(std::memory_order_relaxed) & details.bits) != 0;
}

// Records a frequent event with the current time.  Returns false if neither a session nor a tap
// takes events of this kind.
template <Event E>
  requires(!TailEvent<E>)
inline bool record(const E& event) {
  const uint32_t session = detail::session.load(std::memory_order_relaxed);
  if (!detail::takes<E>(session)) [[likely]]
    return false;
  detail::append(event, session);
  return true;
}

// Maximum length of a tail in bytes.  An event with a longer one is dropped and counted as such.
inline constexpr size_t max_tail = 16 << 10;

// The same for kinds with a tail.
template <TailEvent E>
inline bool record_tail(const E& event, std::span<const std::byte> tail) {
  const uint32_t session = detail::session.load(std::memory_order_relaxed);
  if (!detail::takes<E>(session)) [[likely]]
    return false;
  detail::append_tail(event, tail, session);
  return true;
}

// Records Begin on construction and End on destruction.
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

// A callback that receives each frequent event without a tail as it happens, on its thread, with
// `ts` not set; for marking events in other tools.  Events::read(kind, event, visit) decodes it.
// There is only one tap; null removes it, but a call in progress may still reach it afterwards.
using Tap = void (*)(uint8_t kind, const std::byte* event);
void set_tap(Tap tap);

// Sets the calling thread's name in recordings; the default is the system's name for it.
void name_this_thread(std::string_view name);

}  // namespace vitro::events
