// A part of a trace as a trace of its own, small enough for any viewer.
//   auto out = report::create_file("step.json.gz");
//   Result<Cut> done = cut(trace, {.from = begin, .to = end}, *out);   out->finish();
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vitro/analyze/trace.h"
#include "vitro/report/output.h"

namespace vitro::analyze {

// Events are kept whole, with their times as they were, where they last into the time that is
// wanted: what lies around a kept event is kept too, so everything nests as before.  Arrows are
// kept where both of their ends are.  Names of threads and processes are kept for the processes of
// which an event is, the file's other members all.
struct CutOptions {
  int64_t from = none, to = none;        // nanoseconds from base(); none: no limit
  std::vector<std::string> processes{};  // pids, names or labels; empty: all
};

struct Cut {
  uint64_t events = 0;       // written
  uint64_t arrow_ends = 0;   // left out: the other end is not there
  std::vector<Note> mended;  // what was no JSON, and was written as a parser takes it
};

// Reads the file once more.  Fails where it has gone or changed, or came from standard input.
Result<Cut> cut(const Trace& trace, const CutOptions& options, report::Output& out);

// The events that are written, in the order of the file.
std::vector<EventId> events_of_cut(const Trace& trace, const CutOptions& options);

}  // namespace vitro::analyze
