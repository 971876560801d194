// Loops over the events of a trace that may be large.
//   for (const EventId e : trace.events()) …
//   for (const EventId e : paced(timeline.track(t))) …
// On the way, every some thousand events, what is resident of mapped columns is brought back below
// VITRO_TRACE_RESIDENT_MB.  A thread looks after that too (mapped.h), but where others take the
// processors it comes late, and a loop makes gigabytes a second resident.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <span>

namespace vitro::analyze {

using EventId = uint32_t;  // counts the events in the order of the file

// Lets go of the pages of mapped columns and arrays, where more than may be is resident.  Nothing
// that was written is lost.  Threads: any.
void bound_resident();

// Asks for that once every some thousand steps, each of which touches some events.
class Pace {
 public:
  void step() {
    if (++steps_ % every == 0) bound_resident();
  }

 private:
  static constexpr uint32_t every = 1U << 14;

  uint32_t steps_ = 0;
};

// The values of a range, one after the other, with what is said above in between.
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

}  // namespace vitro::analyze
