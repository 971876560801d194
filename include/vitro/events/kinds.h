// The frequent event kinds, declared once: number, size, reader and name follow from the list at
// the end. To add a kind: a struct here and its name in the list.  Whoever reads (profiler, debug)
// switches on types.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "vitro/events/name.h"

namespace vitro::events {

// `ts` is the moment in ticks (base/clock.h); record() sets it.  Begin and End of a kind nest
// properly on each thread.

struct OpBegin {
  static constexpr std::string_view name = "op_begin";
  NameId op;
  int64_t sequence =
      -1;  // number of the autograd node that this call makes, -1 where there is none
  uint64_t ts = 0;
};
struct OpEnd {
  static constexpr std::string_view name = "op_end";
  uint64_t ts = 0;
};

struct KernelBegin {
  static constexpr std::string_view name = "kernel_begin";
  NameId kernel;
  NameId detail;       // what is fused in it, for a person; may be empty
  uint64_t bytes = 0;  // read and written by this launch
  uint64_t flops = 0;
  uint64_t ts = 0;
};
struct KernelEnd {
  static constexpr std::string_view name = "kernel_end";
  uint64_t ts = 0;
};

// One segment of a compiled function runs.
struct RegionBegin {
  static constexpr std::string_view name = "region_begin";
  uint32_t function = 0, segment = 0;
  uint64_t ts = 0;
};
struct RegionEnd {
  static constexpr std::string_view name = "region_end";
  uint64_t ts = 0;
};

// A stretch of time that the user named.
struct RangeBegin {
  static constexpr std::string_view name = "range_begin";
  NameId range;
  uint64_t ts = 0;
};
struct RangeEnd {
  static constexpr std::string_view name = "range_end";
  uint64_t ts = 0;
};

struct Allocated {
  static constexpr std::string_view name = "allocated";
  uint64_t address = 0;
  int64_t bytes = 0;
  int64_t live_bytes = 0;  // of the allocator, this one included
  uint64_t ts = 0;
};
struct Freed {
  static constexpr std::string_view name = "freed";
  uint64_t address = 0;
  int64_t bytes = 0;
  int64_t live_bytes = 0;  // of the allocator, this one no longer included
  uint64_t ts = 0;
};

struct Counter {
  static constexpr std::string_view name = "counter";
  NameId counter;
  double value = 0;
  uint64_t ts = 0;
};

template <class... E>
struct EventList {
  static_assert((std::is_trivially_copyable_v<E> && ...), "events are copied as bytes");
  static constexpr std::array<size_t, sizeof...(E)> sizes{sizeof(E)...};
  static constexpr std::array<std::string_view, sizeof...(E)> names{E::name...};

  template <class T>
  static constexpr bool holds = (std::is_same_v<T, E> || ...);

  template <class T>
  static consteval uint8_t kind() {
    static_assert(holds<T>, "not in the list of event kinds");
    uint8_t k = 0;
    static_cast<void>(((std::is_same_v<T, E> || (++k, false)) || ...));
    return k;
  }

  // Calls visit(event) with the event of that kind that lies at `bytes`.
  template <class Visit>
  static void read(uint8_t which, const std::byte* bytes, Visit& visit) {
    ((which == kind<E>() ? visit(load<E>(bytes)) : void()), ...);
  }

 private:
  template <class T>
  static T load(const std::byte* bytes) {
    T event;
    std::memcpy(&event, bytes, sizeof event);
    return event;
  }
};

using Events = EventList<OpBegin, OpEnd, KernelBegin, KernelEnd, RegionBegin, RegionEnd, RangeBegin,
                         RangeEnd, Allocated, Freed, Counter>;

template <class E>
concept Event = Events::holds<E>;

}  // namespace vitro::events
