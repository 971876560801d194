// The frequent event kinds, declared once: number, size, reader and name are derived from the list
// at the end. To add a kind, add a struct and its name in the list.  Readers (profiler, debug)
// dispatch on the type.
//   ts            timestamp in ticks (base/clock.h), set by record().  A kind without one describes
//                 the innermost open slice of its thread.
//   tail          the event is followed by a variable number of bytes: record_tail()
//   needs         recorded only by sessions with that option
// Begin and End events of a kind nest properly on each thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include "vitro/events/name.h"

namespace vitro::events {

// What a session may record in addition to times.
enum class Detail : uint32_t {
  shapes = 1,   // inputs of ops: dtypes, sizes, strides, scalars
  stacks = 2,   // call stacks of ops, ranges, kernels and allocations
  modules = 4,  // module path of each op
  flops = 8,    // floating-point operations of ops
  memory = 16,  // allocations and frees
  tensors = 32  // identity of the input and output tensors of ops and regions
};

// A set of details: Detail::shapes | Detail::stacks.
struct Details {
  uint32_t bits = 0;

  constexpr Details() = default;
  constexpr Details(Detail one)  // NOLINT(google-explicit-constructor)
      : bits(static_cast<uint32_t>(one)) {}
  // True if at least one of `wanted` is set.
  constexpr bool have(Details wanted) const { return (bits & wanted.bits) != 0; }
  constexpr Details& operator|=(Details more) {
    bits |= more.bits;
    return *this;
  }
  friend constexpr Details operator|(Details a, Details b) { return a |= b; }
};
constexpr Details operator|(Detail a, Detail b) {
  return Details(a) | Details(b);
}

struct OpBegin {
  static constexpr std::string_view name = "op_begin";
  NameId op;
  int64_t sequence = -1;  // number of the autograd node that this call creates, -1 if none
  uint64_t ts = 0;
};
struct OpEnd {
  static constexpr std::string_view name = "op_end";
  uint64_t ts = 0;
};

struct KernelBegin {
  static constexpr std::string_view name = "kernel_begin";
  NameId kernel;
  NameId detail = {};  // human-readable description of the fused ops; may be empty
  uint64_t bytes = 0;  // read and written by this launch
  uint64_t flops = 0;
  // Kind and sizes of the convolution or matrix product that the kernel computes, such as
  // "conv3x3 64→128 /2, Winograd F4"; empty: it computes neither.
  NameId product = {};
  uint64_t ts = 0;
};
struct KernelEnd {
  static constexpr std::string_view name = "kernel_end";
  uint64_t ts = 0;
};

// The run of one segment of a compiled function.
struct RegionBegin {
  static constexpr std::string_view name = "region_begin";
  uint32_t function = 0, segment = 0;
  NameId label = {};  // the function's name and the segment's number
  uint64_t ts = 0;
};
struct RegionEnd {
  static constexpr std::string_view name = "region_end";
  uint64_t ts = 0;
};

// A period of time named by the user.
struct RangeBegin {
  static constexpr std::string_view name = "range_begin";
  NameId range;
  uint64_t ts = 0;
};
struct RangeEnd {
  static constexpr std::string_view name = "range_end";
  uint64_t ts = 0;
};

// A thread's share of the items of a launch.
struct WorkBegin {
  static constexpr std::string_view name = "work_begin";
  uint64_t ts = 0;
};
struct WorkEnd {
  static constexpr std::string_view name = "work_end";
  uint64_t items = 0;
  uint64_t ts = 0;
};

// A compiled function runs op by op, on request or because it cannot be compiled.
struct EagerBegin {
  static constexpr std::string_view name = "eager_begin";
  NameId region;  // the name that the region would have
  NameId code = {}, reason = {};
  NameId label = {};  // as in RegionBegin; without the segment if only part of it runs eagerly
  uint64_t ts = 0;
};
struct EagerEnd {
  static constexpr std::string_view name = "eager_end";
  uint64_t ts = 0;
};

// ---- details of the open slice

// Inputs of an op or a region, or arguments of a range, as values (events/values.h).
struct Inputs {
  static constexpr std::string_view name = "inputs";
  static constexpr bool tail = true;
};
// Outputs of an op or a region, as values.  The thread's next event ends the slice.
struct Outputs {
  static constexpr std::string_view name = "outputs";
  static constexpr bool tail = true;
  static constexpr Detail needs = Detail::tensors;
};
// Identity of each tensor among the inputs or the outputs: storage number and offset, eight bytes
// each.
struct Tensors {
  static constexpr std::string_view name = "tensors";
  static constexpr bool tail = true;
  static constexpr Detail needs = Detail::tensors;
  bool outputs = false;
};
// Call stack: return addresses of eight bytes each, innermost first.
struct Stack {
  static constexpr std::string_view name = "stack";
  static constexpr bool tail = true;
  static constexpr Detail needs = Detail::stacks;
};
struct Module {
  static constexpr std::string_view name = "module";
  static constexpr Detail needs = Detail::modules;
  uint32_t path = 0;  // base/module_path.h
};
struct Flops {
  static constexpr std::string_view name = "flops";
  static constexpr Detail needs = Detail::flops;
  uint64_t flops = 0;
};
// Number of items of a launch that the launching thread processed itself.
struct OwnItems {
  static constexpr std::string_view name = "own_items";
  uint64_t items = 0;
};

// An arrow from one slice to others.  Begin and ends have the same kind and number; there is one
// begin.
enum class FlowKind : uint8_t {
  launch,           // from a kernel or op to its shares on other threads
  forward_backward  // from an op to the op that computes its gradient
};
struct FlowBegin {
  static constexpr std::string_view name = "flow_begin";
  FlowKind flow = FlowKind::launch;
  uint32_t number = 0;
};
struct FlowEnd {
  static constexpr std::string_view name = "flow_end";
  FlowKind flow = FlowKind::launch;
  uint32_t number = 0;
};

// ---- memory

enum class MemoryCategory : uint8_t {
  other,  // unspecified
  parameter,
  gradient,
  activation,
  optimiser,
  temporary,
  input
};
inline constexpr size_t memory_categories = 7;

struct Allocated {
  static constexpr std::string_view name = "allocated";
  static constexpr Detail needs = Detail::memory;
  uint64_t address = 0;
  int64_t bytes = 0;
  int64_t live_bytes = 0;  // of the allocator, including this allocation
  MemoryCategory category = MemoryCategory::other;
  uint64_t ts = 0;
};
struct Freed {
  static constexpr std::string_view name = "freed";
  static constexpr Detail needs = Detail::memory;
  uint64_t address = 0;
  int64_t bytes = 0;
  int64_t live_bytes = 0;  // of the allocator, excluding this allocation
  uint64_t ts = 0;
};
// The category of an existing allocation, which may have been made before the session.
struct Categorised {
  static constexpr std::string_view name = "categorised";
  static constexpr Detail needs = Detail::memory;
  uint64_t address = 0;
  int64_t bytes = 0;  // 0: unknown
  MemoryCategory category = MemoryCategory::other;
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

  // Calls `visit` with the event of kind `which` stored at `bytes`, and with its tail if it has one
  // and `visit` takes it. Returns the end of the event and its tail.
  template <class Visit>
  static const std::byte* read(uint8_t which, const std::byte* bytes, Visit& visit) {
    const std::byte* next = bytes;
    ((which == kind<E>() ? next = read_one<E>(bytes, visit) : nullptr), ...);
    return next;
  }

 private:
  template <class T>
  static T load(const std::byte* bytes) {
    T event;
    std::memcpy(&event, bytes, sizeof event);
    return event;
  }

  template <class T, class Visit>
  static const std::byte* read_one(const std::byte* bytes, Visit& visit) {
    const T event = load<T>(bytes);
    bytes += sizeof(T);
    if constexpr (requires { T::tail; }) {
      const std::span tail(bytes + sizeof(uint32_t), load<uint32_t>(bytes));
      if constexpr (std::is_invocable_v<Visit&, const T&, std::span<const std::byte>>) {
        visit(event, tail);
      } else {
        visit(event);
      }
      return tail.data() + tail.size();
    } else {
      visit(event);
      return bytes;
    }
  }
};

using Events =
    EventList<OpBegin, OpEnd, KernelBegin, KernelEnd, RegionBegin, RegionEnd, RangeBegin, RangeEnd,
              WorkBegin, WorkEnd, EagerBegin, EagerEnd, Inputs, Outputs, Tensors, Stack, Module,
              Flops, OwnItems, FlowBegin, FlowEnd, Allocated, Freed, Categorised, Counter>;

template <class E>
concept Event = Events::holds<E>;

// Kinds that are followed by a variable number of bytes.
template <class E>
concept TailEvent = Event<E> && requires { E::tail; };

}  // namespace vitro::events
