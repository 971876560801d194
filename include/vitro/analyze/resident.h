// Large data of which a bounded part is in memory: loops over it, and arrays in unnamed files.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <span>

namespace vitro::analyze {

using EventId = uint32_t;  // numbers events in file order

// Loops over the events of a possibly large trace.
//   for (const EventId e : trace.events()) …
//   for (const EventId e : paced(timeline.track(t))) …
// Every few thousand events, the resident part of mapped columns is brought back below
// VITRO_TRACE_RESIDENT_MB.  A thread does that too (src/analyze/store/mapped.h), but on a busy
// machine it may be late, while a loop makes gigabytes a second resident.

// Releases the pages of mapped columns and arrays if more than the limit is resident.  Nothing
// written is lost.  Threads: any.
void bound_resident();

// Does that once every few thousand steps, each of which touches a few events.
class Pace {
 public:
  void step() {
    if (++steps_ % every == 0) bound_resident();
  }

 private:
  static constexpr uint32_t every = 1U << 14;

  uint32_t steps_ = 0;
};

// Iterates over a range, doing the above in between.
template <std::ranges::view Range>
class Paced {
 public:
  class Iterator {
   public:
    using value_type = std::ranges::range_value_t<Range>;
    using difference_type = std::ptrdiff_t;

    Iterator() = default;
    explicit Iterator(std::ranges::iterator_t<Range> at) : at_(at) {}
    value_type operator*() const { return *at_; }
    Iterator& operator++() {
      ++at_;
      pace_.step();
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(const std::ranges::sentinel_t<Range>& end) const { return at_ == end; }

   private:
    std::ranges::iterator_t<Range> at_{};
    Pace pace_;
  };

  explicit Paced(Range range) : range_(range) {}
  Iterator begin() const { return Iterator(std::ranges::begin(range_)); }
  auto end() const { return std::ranges::end(range_); }

 private:
  Range range_;
};

inline Paced<std::span<const EventId>> paced(std::span<const EventId> events) {
  return Paced<std::span<const EventId>>(events);
}

// Memory in unnamed files, so that its resident part stays bounded, like that of columns.
// Questions about tens of millions of events need gigabytes of arrays; a program that puts its
// arrays into this memory answers them in a few hundred megabytes, as `vitro trace` does, whose
// operator new uses it for large blocks.  Threads: any.

// Zeroed memory, aligned to a page; null if no file has enough room.
void* take_file_memory(size_t bytes);

// Frees the memory if it came from above; returns whether it did.
bool give_back_file_memory(void* memory);

}  // namespace vitro::analyze
