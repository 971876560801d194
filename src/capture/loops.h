// Loops of the program with a varying number of iterations, such as over a list argument.  Each
// number would need its own graph; after a few of them, segments end before the repeated location
// (a cut), so the body is compiled once and reused for any number of iterations. Threads: any.
#pragma once

#include <source_location>

#include "capture/trace_tree.h"

namespace vitro::capture {

// Paths diverge after `cursor`: the recorded one continues at `recorded`, this call at `called`.  A
// location that the segment has already passed starts a loop's body.
void note_parting(TraceTree& tree, const TraceNode& cursor, std::source_location recorded,
                  std::source_location called);

// List arguments whose number of tensors varies.  Each number would be a separate path; after a
// few, arguments are no longer compared on entry but when an op uses them, like tensors that are
// not arguments.  Returns how many argument counts were recorded, if that is enough and `now` is
// not one of them; otherwise 0.
size_t argument_counts(TraceTree& tree, size_t now);

}  // namespace vitro::capture
