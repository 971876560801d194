// Collects the findings of an analysis: clamps savings to the measured time, drops insignificant
// ones, and sorts the rest.
#include "analyze/findings.h"

#include <algorithm>
#include <tuple>

#include "analyze/words.h"
#include "base/sort_list.h"

namespace vitro::analyze {
namespace {

constexpr double least_percent = 0.5;
constexpr int64_t least_bytes = int64_t{1} << 20;  // less is not worth a change
constexpr size_t most_events = 10, most_pieces = size_t{1} << 16;

void keep_few(std::vector<EventId>& events) {
  if (events.size() > most_events) events.resize(most_events);
}

}  // namespace

void Pieces::add(int64_t begin, int64_t end) {
  if (end <= begin) return;
  list_.push_back({begin, end});
  if (list_.size() >= 4 * most_pieces) compact();
}

void Pieces::add(const std::vector<Window>& list) {
  for (const Window& each : list) add(each.begin, each.end);
}

void Pieces::add(const Intervals& list) {
  for (const Interval& each : list) add(each.begin, each.end);
}

void Pieces::compact() {
  std::ranges::sort(list_, [](const Window& a, const Window& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  for (bool many = true; many;) {
    std::vector<Window> apart;
    for (const Window& each : list_) {
      if (apart.empty() || each.begin - apart.back().end > near_) {
        apart.push_back(each);
      } else {
        apart.back().end = std::max(apart.back().end, each.end);
      }
    }
    list_ = std::move(apart);
    many = list_.size() > most_pieces;
    if (many) near_ = std::max<int64_t>(2 * near_, 1'000);
  }
}

std::vector<Window> Pieces::take(const Window& window) {
  compact();
  std::vector<Window> out;
  for (const Window& each : list_) {
    const Window part{std::max(each.begin, window.begin), std::min(each.end, window.end)};
    if (part.length() > 0) out.push_back(part);
  }
  list_.clear();
  return out;
}

int64_t beyond_median(const std::vector<int64_t>& times) {
  std::vector<TimeToWin> all;
  for (const int64_t time : times) all.push_back({time, time});
  return beyond_median(all);
}

int64_t beyond_median(const std::vector<TimeToWin>& times) {
  if (times.empty()) return 0;
  std::vector<int64_t> sorted;
  for (const TimeToWin& each : times) sorted.push_back(each.time);
  std::ranges::sort(sorted);
  const int64_t median = nearest_rank(sorted, 50);
  int64_t sum = 0;
  for (const TimeToWin& each : times) sum += std::clamp<int64_t>(each.time - median, 0, each.most);
  return sum;
}

int64_t beyond_other_steps(const std::vector<Step>& steps, const Window& window,
                           const Intervals& when) {
  std::vector<int64_t> times;
  for (const Step& step : steps) {
    if (step.begin >= window.begin && step.end <= window.end)
      times.push_back(when.length_in(step.begin, step.end));
  }
  return times.size() < 3 ? 0 : beyond_median(times);
}

void Findings::add(Statement statement, int64_t low, int64_t high, std::vector<EventId> events,
                   Pieces about, Confidence confidence) {
  std::vector<Window> when = about.take(window_);
  if (!when.empty()) {
    Intervals all;
    for (const Window& each : when) all.add(each.begin, each.end);
    if (idle_) {
      all = common(all, *idle_);
      when.clear();
      for (const Interval& each : all) when.push_back({each.begin, each.end});
    }
    high = std::min(high, all.length());
  }
  high = std::clamp<int64_t>(high, 0, step_);
  low = std::clamp<int64_t>(low, 0, high);
  if (events.empty() || percent(high, step_) < least_percent) return;
  keep_few(events);
  if (confidence == Confidence::likely && 2 * low >= high) confidence = Confidence::measured;
  list_.push_back({.key = std::move(statement.key),
                   .sentence = std::move(statement.sentence),
                   .advice = std::move(statement.advice),
                   .low_ns = low,
                   .high_ns = high,
                   .low_percent = percent(low, step_),
                   .high_percent = percent(high, step_),
                   .events = std::move(events),
                   .when = std::move(when),
                   .confidence = confidence});
}

void Findings::add_bytes(Statement statement, int64_t low, int64_t high, int64_t most,
                         std::vector<EventId> events) {
  high = std::clamp<int64_t>(high, 0, most);
  low = std::clamp<int64_t>(low, 0, high);
  if (events.empty() || high < least_bytes || percent(high, most) < least_percent) return;
  keep_few(events);
  list_.push_back({.key = std::move(statement.key),
                   .sentence = std::move(statement.sentence),
                   .advice = std::move(statement.advice),
                   .low_percent = percent(low, most),
                   .high_percent = percent(high, most),
                   .events = std::move(events),
                   .low_bytes = low,
                   .high_bytes = high});
}

std::vector<Finding> Findings::take() {
  sort_findings(list_);
  return std::move(list_);
}

void sort_findings(std::vector<Finding>& findings) {
  sort_list(findings, [](const Finding& a, const Finding& b) {
    const auto order = [](const Finding& f) {
      return std::tuple(f.is_of_memory(), -f.low_ns, f.confidence, -f.high_ns, -f.high_percent,
                        std::string_view(f.key));
    };
    return order(a) < order(b);
  });
}

}  // namespace vitro::analyze
