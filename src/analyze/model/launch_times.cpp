#include "analyze/model/launch_times.h"

#include <algorithm>
#include <functional>

#include "analyze/model/index.h"
#include "analyze/model/sort_runs.h"

namespace vitro::analyze {

LaunchTimes::LaunchTimes(const TraceIndex& index) : trace_(index.trace()), links_(index->links()) {
  const Classes& classes = index->classes();
  bool launched = false, unlaunched = false;
  for (const EventId e : trace_.events()) {
    if (!classes.is_device_work(e)) continue;
    (links_.launch_of(e) == Links::nobody ? unlaunched : launched) = true;
  }
  if (!launched || !unlaunched) return;
  const TrackOrder& order = index->work();
  for (uint32_t t = 0; t < order.tracks(); ++t) {
    int64_t latest = before_all;
    for (const EventId e : paced(order.track(t))) {
      const EventId launch = links_.launch_of(e);
      if (launch == Links::nobody)
        inferred_.emplace_back(e, latest);
      else
        latest = std::max(latest, trace_.ts()[launch]);
    }
  }
  sort_runs_by(inferred_, std::identity());
}

int64_t LaunchTimes::of(EventId work) const {
  const EventId launch = links_.launch_of(work);
  if (launch != Links::nobody) return trace_.ts()[launch];
  const auto found =
      std::ranges::lower_bound(inferred_, work, {}, &std::pair<EventId, int64_t>::first);
  return found != inferred_.end() && found->first == work ? found->second : trace_.ts()[work];
}

}  // namespace vitro::analyze
