#include "analyze/findings.h"

#include <algorithm>
#include <tuple>

#include "analyze/words.h"

namespace vitro::analyze {
namespace {

constexpr double least_percent = 0.5;
constexpr size_t most_events = 10;

}  // namespace

void Findings::add(Statement statement, int64_t low, int64_t high, std::vector<EventId> events) {
  high = std::clamp<int64_t>(high, 0, step_);
  low = std::clamp<int64_t>(low, 0, high);
  if (events.empty() || percent(high, step_) < least_percent) return;
  if (events.size() > most_events) events.resize(most_events);
  list_.push_back({.key = std::move(statement.key),
                   .sentence = std::move(statement.sentence),
                   .advice = std::move(statement.advice),
                   .low_ns = low,
                   .high_ns = high,
                   .low_percent = percent(low, step_),
                   .high_percent = percent(high, step_),
                   .events = std::move(events)});
}

std::vector<Finding> Findings::take() {
  sort_findings(list_);
  return std::move(list_);
}

void sort_findings(std::vector<Finding>& findings) {
  std::ranges::stable_sort(findings, [](const Finding& a, const Finding& b) {
    return std::tuple(-a.high_ns, -a.low_ns, std::string_view(a.key)) <
           std::tuple(-b.high_ns, -b.low_ns, std::string_view(b.key));
  });
}

}  // namespace vitro::analyze
