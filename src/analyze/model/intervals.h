// A set of moments, stored as disjoint intervals in order.
//   Intervals busy;
//   for (EventId e : by_begin) busy.add(begin_of(e), end_of(e));
//   busy.length(), busy.length_in(step.begin, step.end), common(busy, other).length()
// Intervals include their begin but not their end.  Adding is O(1), a query of a window O(log n).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vitro::analyze {

struct Interval {
  int64_t begin = 0, end = 0;
  int64_t before = 0;  // length of those before it
  bool operator==(const Interval&) const = default;
};

class Intervals {
 public:
  // Merges with the last interval if they overlap or touch; ignores empty ones.  Needs: `begin` not
  // earlier than previous begins.
  void add(int64_t begin, int64_t end);

  int64_t length() const;
  // Length within [begin, end).
  int64_t length_in(int64_t begin, int64_t end) const;
  // The first that ends after `moment`; end() if none does.
  std::vector<Interval>::const_iterator after(int64_t moment) const;

  bool empty() const { return list_.empty(); }
  size_t size() const { return list_.size(); }
  auto begin() const { return list_.begin(); }
  auto end() const { return list_.end(); }
  const Interval& back() const { return list_.back(); }

 private:
  int64_t length_before(int64_t moment) const;

  std::vector<Interval> list_;
};

Intervals united(const Intervals& a, const Intervals& b);
Intervals common(const Intervals& a, const Intervals& b);
// The part of `a` outside `b`.
Intervals without(const Intervals& a, const Intervals& b);

}  // namespace vitro::analyze
