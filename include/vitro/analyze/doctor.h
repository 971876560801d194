// What every analysis found in a trace, most worth first.
//   std::cout << to_text(doctor(trace));
#pragma once

#include <vector>

#include "vitro/analyze/answer.h"

namespace vitro::analyze {

// Every answer of analyses(), in their order, without parameters.  A line on a terminal says how
// far it is, where it takes over a second.
std::vector<Answer> ask_all(const Trace& trace);

// The findings of these answers, each key once: an answer without tables.  Where a finding is about
// the time of one before it, it says so; `together_percent` counts each moment once, for the first
// finding that is about it.
Answer doctor(const std::vector<Answer>& answers);
Answer doctor(const Trace& trace);

}  // namespace vitro::analyze
