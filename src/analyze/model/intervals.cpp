#include "analyze/model/intervals.h"

#include <algorithm>

namespace vitro::analyze {

void Intervals::add(int64_t begin, int64_t end) {
  if (end <= begin) return;
  if (!list_.empty() && begin <= list_.back().end) {
    list_.back().end = std::max(list_.back().end, end);
  } else {
    list_.push_back({begin, end, length()});
  }
}

int64_t Intervals::length() const {
  if (list_.empty()) return 0;
  return list_.back().before + list_.back().end - list_.back().begin;
}

int64_t Intervals::length_in(int64_t begin, int64_t end) const {
  return end <= begin ? 0 : length_before(end) - length_before(begin);
}

std::vector<Interval>::const_iterator Intervals::after(int64_t moment) const {
  return std::ranges::upper_bound(list_, moment, {}, &Interval::end);
}

int64_t Intervals::length_before(int64_t moment) const {
  const auto next = after(moment);
  if (next == list_.end()) return length();
  return next->before + std::max<int64_t>(moment - next->begin, 0);
}

Intervals united(const Intervals& a, const Intervals& b) {
  Intervals out;
  auto i = a.begin(), j = b.begin();
  while (i != a.end() || j != b.end()) {
    auto& next = j == b.end() || (i != a.end() && i->begin <= j->begin) ? i : j;
    out.add(next->begin, next->end);
    ++next;
  }
  return out;
}

// The shorter list may have a small part of the other: what is before it is not passed one by one.
Intervals common(const Intervals& a, const Intervals& b) {
  Intervals out;
  if (a.empty() || b.empty()) return out;
  auto i = a.after(b.begin()->begin), j = b.after(a.begin()->begin);
  while (i != a.end() && j != b.end()) {
    out.add(std::max(i->begin, j->begin), std::min(i->end, j->end));
    ++(i->end <= j->end ? i : j);
  }
  return out;
}

Intervals without(const Intervals& a, const Intervals& b) {
  Intervals out;
  if (a.empty()) return out;
  auto j = b.after(a.begin()->begin);
  for (const Interval& each : a) {
    int64_t from = each.begin;
    while (j != b.end() && j->end <= from) ++j;
    for (auto k = j; k != b.end() && k->begin < each.end; ++k) {
      out.add(from, k->begin);
      from = std::max(from, k->end);
    }
    out.add(from, each.end);
  }
  return out;
}

}  // namespace vitro::analyze
