// What every analysis found in a trace, most worth first.
//   std::cout << to_text(doctor(trace));
#pragma once

#include <vector>

#include "vitro/analyze/answer.h"

namespace vitro::analyze {

// Every answer of analyses(), in their order, without parameters.  A line on a terminal says how
// far it is, where it takes over a second.
std::vector<Answer> ask_all(const Trace& trace);

// The findings of these answers, each key once: an answer without tables.
Answer doctor(const std::vector<Answer>& answers);
Answer doctor(const Trace& trace);

}  // namespace vitro::analyze
