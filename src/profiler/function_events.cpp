#include "vitro/profiler/function_events.h"

#include "profiler/shapes.h"

namespace vitro {
namespace {

FunctionEvent event_of(const Profile& profile, const Track& track, const Slice& slice,
                       uint64_t before) {
  const auto inputs = track.extra(slice).inputs;
  return {.id = before + static_cast<uint64_t>(&slice - track.slices.data()) + 1,
          .parent = slice.parent == Slice::none ? 0 : before + slice.parent + 1,
          .name = slice.name(),
          .kind = slice.kind,
          .thread = track.tid,
          .begin = slice.begin - profile.begin,
          .end = slice.end - profile.begin,
          .self_ns = slice.duration(),
          .finished = slice.finished,
          .sequence = slice.sequence,
          .bytes = slice.bytes,
          .flops = slice.flops,
          .input_shapes = inputs.empty() ? "" : shapes_text(inputs),
          .detail = events::text(slice.detail),
          .product = events::text(slice.product)};
}

}  // namespace

std::vector<FunctionEvent> function_events(const Profile& profile) {
  std::vector<FunctionEvent> all;
  size_t slices = 0;
  for (const Track& track : profile.tracks) slices += track.slices.size();
  all.reserve(slices);
  for (const Track& track : profile.tracks) {
    const uint64_t before = all.size();
    for (const Slice& slice : track.slices) {
      all.push_back(event_of(profile, track, slice, before));
      if (slice.parent != Slice::none) all[before + slice.parent].self_ns -= slice.duration();
    }
    for (const MemoryChange& change : track.memory) {
      if (change.slice != Slice::none) all[before + change.slice].memory += change.bytes;
    }
  }
  return all;
}

}  // namespace vitro
