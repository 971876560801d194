// The ranks of a distributed run, one trace each: are their clocks the same, is the work balanced,
// who is waited for.
//   Ranks r = ranks({"rank0.json.gz", "rank1.json.gz"});
//   for (const RankTimes& rank : r.ranks) rank.wait, rank.work, rank.caused
// One trace is open at a time; of each its sums and its collectives (some 40 bytes each) are kept.
//
// Definitions.
// - The rank is `distributedInfo.rank` of the file, else the last number in its name, else its
// place
//   in the list.
// - Collectives are kernels that communicate (is_communication).  One of a rank matches one of
//   another where name and process group (`Process Group Name` and `Ranks`, where the file has
//   them) are the same and they end together: within a millisecond once the clocks are aligned.
//   Sends and receives between two ranks match nothing else.
// - A collective ends on all ranks at once, so a rank's clock is off by the difference of the ends
//   of the collectives that it shares with the rank it is compared with: the n-th of each name and
//   step are paired, and the densest millisecond of the differences tells, by its median; what is
//   paired wrongly (a file of samples, a step cut off) lies outside.  `clock_spread` is the median
//   of what remains.
// - Of a matched collective a rank waits until the last of those here has begun it; the rest is
//   work.  The last one `caused` the time from the begin of the last but one to its own.
// HolisticTraceAnalysis (get_potential_stragglers) compares when kernels start by each rank's own
// clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vitro/analyze/answer.h"
#include "vitro/analyze/steps.h"

namespace vitro::analyze {

// Nanoseconds, of the measured window.
struct RankTimes {
  int64_t rank = 0;
  std::string file;
  Window window;  // from the Unix epoch, by the clock of this rank
  int64_t steps = 0;
  int64_t compute = 0, communication = 0, memory = 0;  // when some of it ran
  int64_t exposed = 0;                                 // communication beside no computation
  int64_t idle = 0;                                    // nothing ran
  int64_t clock_offset = 0, clock_spread = 0;          // what to add to its times
  bool aligned = false;  // it shares collectives with an aligned rank; the first is aligned
  uint64_t collectives = 0, matched = 0;
  int64_t wait = 0, work = 0;   // of the matched
  int64_t exposed_wait = 0;     // of `wait`, at least so much while its device computes nothing
  uint64_t last = 0;            // of the matched, how many it began last
  int64_t caused = 0;           // that others waited for it alone
  int64_t exposed_caused = 0;   // of that, at least so much while none of them computed
  std::vector<EventId> waited;  // its collectives that waited longest, at most ten
  std::vector<EventId> late;    // that it began last, the most waited for first, at most ten
};

struct Ranks {
  std::vector<RankTimes> ranks;  // by rank
  std::vector<Note> unread;      // files that could not be read, and why
};

Ranks ranks(const std::vector<std::string>& files, const LoadOptions& options = {});
// Events of a finding are of the rank that its sentence names.
Answer answer_ranks(const Ranks& ranks);

// The rank in a trace's distributedInfo; nothing where it has none.
std::optional<int64_t> told_rank(const Trace& trace);
// The rank that a trace is of, by the definition above; `place`: in the list.
int64_t rank_of(const Trace& trace, const std::string& file, size_t place);

// Of a folder the traces in it, by name; of a file itself.  Error where there is none.
std::vector<std::string> trace_files(const std::vector<std::string>& places);

}  // namespace vitro::analyze
