// What must hold for recorded paths, as text for reports.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "capture/segment_variant.h"
#include "vitro/capture/report.h"

namespace vitro::capture {

// Of the path that ends there and of what was asked while it was compiled, each once.
std::vector<GuardReport> guard_reports(const SegmentVariant& variant);
// Of these nodes and variants together, each once: "s0 < 8 (asked before mul)".  The symbols are
// those of the calls.
std::vector<std::string> guard_texts(std::span<const TraceNode* const> nodes,
                                     std::span<const SegmentVariant* const> variants);

}  // namespace vitro::capture
