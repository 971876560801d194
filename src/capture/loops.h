// Loops of the program that go round a varying number of times.  Each number would be a graph of
// its own; where a few were seen, segments end before the place that comes again (a cut), so that
// the body is compiled by itself and found again however often it is gone through.  Such a loop may
// go over a list that the function is given.
// Threads: any.
#pragma once

#include <source_location>

#include "capture/trace_tree.h"

namespace vitro::capture {

// The paths part after `cursor`: one goes on at `recorded`, this call at `called`.  Where the
// segment has been at one of these places before, that is the begin of a loop's body.
void note_parting(TraceTree& tree, const TraceNode& cursor, std::source_location recorded,
                  std::source_location called);

// Lists among the arguments that have another number of tensors in each call.  Each number would be
// a path of its own; after a few, arguments are not compared when the function begins, but where an
// op takes them, as tensors that the function reaches by itself are.  How many numbers of arguments
// were recorded, if these are enough and `now` is not one of them; otherwise 0.
size_t argument_counts(TraceTree& tree, size_t now);

}  // namespace vitro::capture
