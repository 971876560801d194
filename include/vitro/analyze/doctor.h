// The findings of all analyses of a trace, what is likely to be saved first.
//   std::cout << to_text(doctor(trace));
#pragma once

#include <string>
#include <vector>

#include "vitro/analyze/answer.h"

namespace vitro::analyze {

// Every answer of analyses(), in their order, with default parameters.  Shows progress on a
// terminal if it takes over a second.
std::vector<Answer> ask_all(const Trace& trace);

// The findings of these answers, each key once: an answer without tables.  A finding that covers
// the time of an earlier one says so; `together_percent` counts each moment once, for the first
// finding that covers it.  One of the critical path is left out if others explain at least half of
// its time: they are more specific.  Others that may save nothing do not explain one that does.
Answer doctor(const std::vector<Answer>& answers);
// With verdicts.
Answer doctor(const Trace& trace);

// For each device a sentence: that it is device-bound, with the work that takes longest, if it is
// idle for at most a tenth of the measured window; else why it is idle.
std::vector<std::string> verdicts(const Trace& trace);

}  // namespace vitro::analyze
