// The findings of all analyses of a trace, the largest potential saving first.
//   std::cout << to_text(doctor(trace));
#pragma once

#include <vector>

#include "vitro/analyze/answer.h"

namespace vitro::analyze {

// Every answer of analyses(), in their order, with default parameters.  Shows progress on a
// terminal if it takes over a second.
std::vector<Answer> ask_all(const Trace& trace);

// The findings of these answers, each key once: an answer without tables.  A finding that covers
// the time of an earlier one says so; `together_percent` counts each moment once, for the first
// finding that covers it.
Answer doctor(const std::vector<Answer>& answers);
Answer doctor(const Trace& trace);

}  // namespace vitro::analyze
