#include "profiler/flows.h"

#include <algorithm>

#include "kineto/names.h"

namespace vitro {

std::string_view arrow_name(events::FlowKind kind) {
  switch (kind) {
    case events::FlowKind::launch:
      return kineto::arrow::launch;
    case events::FlowKind::forward_backward:
      return kineto::arrow::backward;
  }
  return kineto::arrow::launch;
}

bool goes_forward(const Profile& profile, const Flow& flow) {
  return slice_at(profile, flow.from).begin <= slice_at(profile, flow.to).begin;
}

FlowsOfSlices::FlowsOfSlices(const Profile& profile) {
  for (const Flow& flow : profile.flows) {
    if (!goes_forward(profile, flow)) continue;
    for (const Flow::End& end : {flow.from, flow.to})
      ends_.push_back({place_of(end.track, end.slice), flow.id});
  }
  std::ranges::sort(ends_);
}

}  // namespace vitro
