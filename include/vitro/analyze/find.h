// Finds events of a trace by name, duration, time and place.
//   std::vector<EventId> long_products = find(trace, {.name = "mm$", .min_dur = 100'000});
//   for (EventId e : long_products) …
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/analyze/answer.h"
#include "vitro/analyze/trace.h"

namespace vitro::analyze {

// Conditions on events; those left at their defaults match everything.  Times are nanoseconds.
struct Query {
  std::string name{};                    // a regular expression searched for in the name
  std::string category{};                // as written
  std::string thread{};                  // the tid, or part of the row's name
  std::vector<std::string> processes{};  // one of these pids, process names or labels
  int64_t min_dur = none, max_dur = none;
  int64_t from = none, to = none;  // overlaps this time, from base()
  std::vector<EventId> ids{};      // one of these; those not in the trace are ignored
};

// In file order.  Throws Error if the name is not a regular expression.
std::vector<EventId> find(const Trace& trace, const Query& query);

struct FoundOptions {
  bool longest_first = false;
  bool arguments = false;  // `args` as JSON, read again from the file
};
// A table of the events.  Fails if arguments are requested and the file is gone or has changed.
Result<Answer> answer_found(const Trace& trace, std::vector<EventId> events,
                            const FoundOptions& options = {});

// The begin of the earliest event with a duration or moment, in nanoseconds from base(): the origin
// of times "from the beginning of the trace".  0 if there is none.
int64_t begin_of(const Trace& trace);

// "12" and "12us" (microseconds), "3ns", "1.5ms", "2s", in nanoseconds.
Result<int64_t> read_time(std::string_view text);

}  // namespace vitro::analyze
