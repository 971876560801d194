// The guards of recorded paths, as text for reports.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "capture/segment_variant.h"
#include "vitro/capture/report.h"

namespace vitro::capture {

// Guards of the variant's path and of its compilation, without duplicates.
std::vector<GuardReport> guard_reports(const SegmentVariant& variant);
// Guards of these nodes and variants, without duplicates: "s0 < 8 (asked before mul)".  The symbols
// are those of the calls.
std::vector<std::string> guard_texts(std::span<const TraceNode* const> nodes,
                                     std::span<const SegmentVariant* const> variants);

}  // namespace vitro::capture
