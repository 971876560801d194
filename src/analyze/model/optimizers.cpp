#include "analyze/model/optimizers.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "analyze/model/index.h"
#include "base/sort_list.h"

namespace vitro::analyze {

SeparateUpdates separate_updates(const TraceIndex& index) {
  constexpr uint64_t least_kernels = 10;
  constexpr int64_t most_apart_ns = 100'000;
  const Trace& trace = index.trace();
  const Classes& classes = index->classes();
  std::map<uint32_t, std::vector<const Launch*>> by_track;
  SeparateUpdates out;
  for (const EventId e : trace.events()) {
    if (classes[e] != EventClass::annotation || !trace.name(e).starts_with("Optimizer.step#"))
      continue;
    if (by_track.empty()) {
      for (const Launch& launch : index->launches())
        by_track[trace.track_ids()[launch.call]].push_back(&launch);
      for (auto& [track, list] : by_track)
        sort_list(list, {}, [&](const Launch* l) { return trace.ts()[l->call]; });
    }
    const auto& list = by_track[trace.track_ids()[e]];
    const auto first = std::ranges::lower_bound(
        list, trace.ts()[e], {}, [&](const Launch* l) { return trace.ts()[l->call]; });
    auto last = first;
    uint64_t kernels = 0;
    bool takes_many = false;
    for (; last != list.end() && trace.ts()[(*last)->call] < end_of(trace, e); ++last) {
      kernels += classes[(*last)->first] == EventClass::kernel;
      for (const std::string_view part :
           {"multi_tensor", "MultiTensor", "used_adam", "usedAdam", "usedOpt"})
        takes_many |= trace.name((*last)->first).find(part) != std::string_view::npos;
    }
    const int64_t length = end_of(trace, e) - trace.ts()[e];
    if (takes_many || kernels < least_kernels ||
        length > most_apart_ns * static_cast<int64_t>(kernels))
      continue;
    out.events.resize(trace.size());
    out.events[e] = true;
    for (auto l = first; l != last; ++l) out.events[(*l)->call] = true;
    out.steps.push_back(e);
    out.kernels += kernels;
  }
  return out;
}

}  // namespace vitro::analyze
