// Where the time went, name by name: the ops of the host, or the kernels of the devices.
//   for (const NameTimes& op : ops(trace)) …        // largest self time first
//   for (const NameTimes& kernel : kernels(trace)) …
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vitro/analyze/answer.h"
#include "vitro/analyze/timeline.h"

namespace vitro::analyze {

// Times in nanoseconds.
struct NameTimes {
  std::string name;
  std::string kind;  // name_of(EventClass)
  uint64_t calls = 0;
  int64_t total = 0;  // of a call within a call of its name only the outer counts
  int64_t self = 0;   // without what lies inside on the same track; of kernels: total
  int64_t least = 0, median = 0, p90 = 0, p99 = 0, most = 0;  // of single calls; nearest rank
  double share = 0;                                           // percent of the self time of all
  EventId longest = 0;                                        // the call that took `most`
};

// Ops, annotations, functions and runtime calls of all threads of the host.
std::vector<NameTimes> ops(const Trace& trace, const Timeline& timeline);
// Kernels, copies and fills of all streams of all devices.  What overlaps on several streams counts
// on each.
std::vector<NameTimes> kernels(const Trace& trace, const Timeline& timeline);

Answer answer_ops(const Trace& trace);
Answer answer_kernels(const Trace& trace);

}  // namespace vitro::analyze
