// Checks whether a trace is well formed: finds what viewers drop or misplace, and what other
// analyses cannot rely on.
//   for (const Problem& p : check(index)) …
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vitro/analyze/answer.h"

namespace vitro::analyze {

class TraceIndex;

struct Problem {
  std::string key;             // "crossing", "flow without begin", …
  std::string what;            // as a sentence
  uint64_t count = 0;          // 0: checked, not found
  std::vector<EventId> first;  // examples, at most ten
};

// All checks, including those that found nothing.
std::vector<Problem> check(const TraceIndex& index);
Answer answer_check(const TraceIndex& index);

}  // namespace vitro::analyze
