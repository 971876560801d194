// Events of a trace by what they are called, how long they last, when and where they are.
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

// What an event must be; what is left as it is asks for nothing.  Times are nanoseconds.
struct Query {
  std::string name{};                    // a regular expression that is found anywhere in the name
  std::string category{};                // as it is written
  std::string thread{};                  // the tid, or a part of the row's name
  std::vector<std::string> processes{};  // one of them: the pid, or the process's name or labels
  int64_t min_dur = none, max_dur = none;
  int64_t from = none, to = none;  // it lasts into this time, from base()
  std::vector<EventId>
      ids{};  // it is one of these; those that are not in the trace are passed over
};

// In the order of the file.  Error where the name is no regular expression.
std::vector<EventId> find(const Trace& trace, const Query& query);

struct FoundOptions {
  bool longest_first = false;
  bool arguments = false;  // `args` as JSON, read from the file again
};
// A table of them.  Fails where arguments are wanted and the file has gone or changed.
Result<Answer> answer_found(const Trace& trace, std::vector<EventId> events,
                            const FoundOptions& options = {});

// The begin of the earliest event that lasts or marks a moment, nanoseconds from base(): what times
// "from the beginning of the trace" count from.  0 where there is none.
int64_t begin_of(const Trace& trace);

// "12" and "12us" (microseconds), "3ns", "1.5ms", "2s", in nanoseconds.
Result<int64_t> read_time(std::string_view text);

}  // namespace vitro::analyze
