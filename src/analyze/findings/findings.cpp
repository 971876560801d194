// Collects the findings of an analysis: clamps savings to the measured time, drops insignificant
// ones, and sorts the rest.
#include "analyze/findings/findings.h"

#include <algorithm>
#include <tuple>

#include "analyze/model/index.h"
#include "analyze/model/words.h"
#include "base/sort_list.h"

namespace vitro::analyze {
namespace {

constexpr double least_percent = 0.5;
constexpr int64_t least_bytes = int64_t{1} << 20;  // less is not worth a change
constexpr size_t most_events = 10;

void keep_few(std::vector<EventId>& events) {
  if (events.size() > most_events) events.resize(most_events);
}

}  // namespace

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

Findings::Findings(const TraceIndex& index) : Findings(index->window()) {}

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
      return std::tuple(f.is_of_memory(), -f.likely_ns(), f.confidence, -f.high_ns, -f.high_percent,
                        std::string_view(f.key));
    };
    return order(a) < order(b);
  });
}

}  // namespace vitro::analyze
