#include "capture/segment_variant.h"

#include <algorithm>

namespace vitro::capture {

const sym::Guard* SegmentVariant::broken_guard(const Symbols& symbols) const {
  const auto broken = std::ranges::find_if_not(
      guards, [&](const sym::Guard& guard) { return symbols.holds(guard); });
  return broken == guards.end() ? nullptr : &*broken;
}

const Covering* SegmentVariant::broken_covering(const Symbols& symbols) const {
  const auto broken = std::ranges::find_if_not(
      plan.coverings, [&](const Covering& covering) { return covering.holds(symbols); });
  return broken == plan.coverings.end() ? nullptr : &*broken;
}

}  // namespace vitro::capture
