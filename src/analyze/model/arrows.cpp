#include "analyze/model/arrows.h"

#include <algorithm>
#include <unordered_map>

namespace vitro::analyze {
namespace {

constexpr EventId nobody = UINT32_MAX;

EventId beginning_at(const Trace& trace, const TrackOrder& order, uint32_t track, int64_t moment) {
  const auto events = order.track(track);
  const auto behind =
      std::ranges::upper_bound(events, moment, {}, [&](EventId e) { return trace.ts()[e]; });
  if (behind == events.begin() || trace.ts()[*(behind - 1)] != moment) return nobody;
  return *(behind - 1);
}

}  // namespace

std::vector<Arrow> arrows_of(const Trace& trace, const TrackOrder& order,
                             std::string_view category) {
  const auto found = std::ranges::find(trace.categories(), category);
  if (found == trace.categories().end()) return {};
  const auto wanted = static_cast<uint16_t>(found - trace.categories().begin());
  const auto ends = [&](char phase, auto use) {
    for (const EventId e : trace.events()) {
      if (trace.phases()[e] != phase || trace.category_ids()[e] != wanted) continue;
      const EventId event = beginning_at(trace, order, trace.track_ids()[e], trace.ts()[e]);
      if (event != nobody) use(trace.links()[e], event);
    }
  };
  std::unordered_map<int64_t, EventId> begins;
  ends('s', [&](int64_t id, EventId event) { begins.emplace(id, event); });
  std::vector<Arrow> out;
  ends('f', [&](int64_t id, EventId event) {
    if (const auto from = begins.find(id); from != begins.end())
      out.push_back({from->second, event});
  });
  return out;
}

}  // namespace vitro::analyze
