// What must hold for recorded paths, as text for reports.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "capture/exit.h"
#include "vitro/capture/report.h"

namespace vitro::capture {

// Of the path that ends there and of what was asked while it was compiled, each once.
std::vector<GuardReport> guard_reports(const Exit& exit);
// Of these steps and exits together, each once: "s0 < 8 (asked before mul)".  The symbols are those
// of the calls.
std::vector<std::string> guard_texts(std::span<const Step* const> steps,
                                     std::span<const Exit* const> exits);

}  // namespace vitro::capture
