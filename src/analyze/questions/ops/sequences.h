// Sequences of kernels that streams repeat, such as those of a layer or of a parameter.
#pragma once

#include "vitro/analyze/answer.h"

namespace vitro::analyze {

class TraceIndex;

// Adds a table of the sequences of at most 256 computing kernels that follow one another at least
// twice without a break, in runs of at least 8 kernels; each is the shortest of which its run
// consists, and runs that begin elsewhere in it count as the same.  HolisticTraceAnalysis instead
// counts the sequences of a given length after a given kernel.  Columns:
//   idle_ns     the device has nothing to do between the kernels: what a device graph could save at
//               most
//   fusible_ns  elementwise kernels directly after another: what one kernel for both could save, if
//               it takes no longer than the other
// And for each device a finding: the idle time before work that had been launched
// (IdleCause::latency).
void add_sequences(const TraceIndex& index, Answer& answer);

}  // namespace vitro::analyze
