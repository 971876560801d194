// Where device graphs were captured, and which captured call each piece of their work comes from.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>

#include "analyze/model/classes.h"
#include "analyze/model/intervals.h"
#include "analyze/model/timeline.h"

namespace vitro::analyze {

class TraceIndex;

// By thread: from the begin of a call that begins a capture to the end of the one that ends it.
std::map<uint32_t, Intervals> captures_of(const Trace& trace, const Classes& classes,
                                          const TrackOrder& host);

// By work of a graph launch: the captured call that would have launched it.  An earlier capture
// fits if it has as many launches, copies and fills as the replay has work; or, if its calls name
// their kernels, hardly more (rows of graphs are lost), and the names are those of the work, in
// order.  If several fit, those in the innermost module of the launch count, and of these the last,
// if the calls of all are in the same ops, with the same shapes, and functions; else none.  Empty
// if the file is gone.
std::unordered_map<EventId, EventId> captured_calls(const TraceIndex& index);

}  // namespace vitro::analyze
