// Single events of a trace: finding them, and a part of a trace as a file of its own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/analyze/answer.h"
#include "vitro/analyze/trace.h"
#include "vitro/report/output.h"

namespace vitro::analyze {

// Finds events of a trace by name, duration, time and place.
//   std::vector<EventId> long_products = find(trace, {.name = "mm$", .min_dur = 100'000});
//   for (EventId e : long_products) …

// Conditions on events; those left at their defaults match everything.  Times are nanoseconds.
struct Query {
  std::string name{};                    // a regular expression (POSIX extended) in it
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
// A table of the events, of which it makes the first thousand rows, the others when they are shown
// (AnswerTable::more): the trace must outlive it.  Fails if arguments are requested and the file is
// gone or has changed.
Result<Answer> answer_found(const Trace& trace, std::vector<EventId> events,
                            const FoundOptions& options = {});

// The begin of the earliest event with a duration or moment, in nanoseconds from base(): the origin
// of times "from the beginning of the trace".  0 if there is none.
int64_t begin_of(const Trace& trace);

// "12" and "12us" (microseconds), "3ns", "1.5ms", "2s", in nanoseconds.
Result<int64_t> read_time(std::string_view text);

// A part of a trace as a separate trace, small enough for any viewer.
//   auto out = report::create_file("step.json.gz");
//   Result<Cut> done = cut(trace, {.from = begin, .to = end}, *out);   out->finish();

// Events that overlap the wanted time are kept complete, with their times unchanged: the events
// around a kept one are kept too, so everything nests as before.  Arrows are kept if both ends are.
// Names of threads and processes are kept for processes with events, other members of the file all.
struct CutOptions {
  int64_t from = none, to = none;        // nanoseconds from base(); none: no limit
  std::vector<std::string> processes{};  // pids, names or labels; empty: all
};

struct Cut {
  uint64_t events = 0;       // written
  uint64_t arrow_ends = 0;   // left out: the other end is missing
  std::vector<Note> mended;  // invalid JSON that was repaired or dropped
};

// Reads the file again.  Fails if it is gone or has changed, or came from standard input.
Result<Cut> cut(const Trace& trace, const CutOptions& options, report::Output& out);

// The events that would be written, in file order.
std::vector<EventId> events_of_cut(const Trace& trace, const CutOptions& options);

}  // namespace vitro::analyze
