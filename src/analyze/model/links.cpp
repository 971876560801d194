#include "analyze/model/links.h"

#include <algorithm>
#include <functional>

#include "analyze/model/sort_runs.h"

namespace vitro::analyze {
namespace {

using Entry = std::pair<int64_t, EventId>;

std::span<const Entry> with(const std::vector<Entry>& sorted, int64_t correlation) {
  const auto range = std::ranges::equal_range(sorted, correlation, {}, &Entry::first);
  return {range.begin(), range.end()};
}

}  // namespace

Links::Links(const Trace& trace, const Classes& classes)
    : links_(trace.links()), external_ids_(trace.external_ids()) {
  bool by_op = false;
  for (const EventId e : trace.events()) {
    if (links_[e] == none) by_op |= classes.is_device_work(e) && external_ids_[e] != none;
    if (links_[e] == none) continue;
    if (classes[e] == EventClass::runtime) launches_.emplace_back(links_[e], e);
    if (classes.is_device_work(e)) work_.emplace_back(links_[e], e);
  }
  sort_runs_by(launches_, std::identity());
  sort_runs_by(work_, std::identity());
  if (!by_op) return;
  for (const EventId e : trace.events()) {
    if (classes[e] == EventClass::op && external_ids_[e] != none)
      ops_.emplace_back(external_ids_[e], e);
  }
  sort_runs_by(ops_, std::identity());
}

EventId Links::launch_of(EventId device_work) const {
  if (links_[device_work] != none) return call_with(links_[device_work]);
  if (external_ids_[device_work] == none) return nobody;
  const auto found = with(ops_, external_ids_[device_work]);
  return found.empty() ? nobody : found.front().second;
}

EventId Links::call_with(int64_t correlation) const {
  const auto found = with(launches_, correlation);
  return found.empty() ? nobody : found.front().second;
}

std::span<const std::pair<int64_t, EventId>> Links::work_of(EventId launch) const {
  if (links_[launch] == none) return {};
  return with(work_, links_[launch]);
}

}  // namespace vitro::analyze
