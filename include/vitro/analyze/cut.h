// A part of a trace as a separate trace, small enough for any viewer.
//   auto out = report::create_file("step.json.gz");
//   Result<Cut> done = cut(trace, {.from = begin, .to = end}, *out);   out->finish();
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vitro/analyze/trace.h"
#include "vitro/report/output.h"

namespace vitro::analyze {

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
