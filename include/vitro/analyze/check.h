// Is a trace well formed?  What viewers drop or misplace, and what other analyses cannot rely on.
//   for (const Problem& p : check(trace)) …
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vitro/analyze/answer.h"

namespace vitro::analyze {

struct Problem {
  std::string key;             // "crossing", "flow without begin", …
  std::string what;            // in a sentence
  uint64_t count = 0;          // 0: looked for, not found
  std::vector<EventId> first;  // of them, at most ten
};

// Every check, those that found nothing too.
std::vector<Problem> check(const Trace& trace);
Answer answer_check(const Trace& trace);

}  // namespace vitro::analyze
