// Questions about several traces: what changed between two, and the ranks of a run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vitro/analyze/answer.h"

namespace vitro::analyze {

// What became slower or faster between two traces.
//   Diff d = diff(before, after);
//   for (const NameChange& c : d.changes) …      // the largest change first
//
// Definition.  Times are per step (ProfilerStep#N), so that files with different numbers of steps
// are comparable: a name's time in a step is the self time of its calls that began in it (ops,
// annotations, functions, runtime calls), or the duration of its work (kernels, copies, fills)
// launched in it; a step without it counts as 0.  Events outside all steps are left out.  A file
// without steps is one step.  A change is `significant` if Welch's t test over the steps finds it
// at a false discovery rate of 5 % among all names (one test in twenty would be wrong if every name
// were judged alone).  If a file has fewer than two steps, single calls are compared instead:
// whether a call got slower, not whether there are more of them.
//
// HolisticTraceAnalysis (TraceDiff) compares one iteration of each file, compares counts and sums
// without testing whether they differ by chance, and counts nested time again at each level.

struct DiffOptions {
  bool shapes = false;  // separate ops by shape and kernels by grid
  double false_discoveries = 0.05;
};

struct NameChange {
  enum class What : uint8_t { slower, faster, added, removed };
  What what = What::slower;
  EventClass kind = EventClass::other;
  std::string name, shape;                   // shape: if requested
  double calls_before = 0, calls_after = 0;  // per step
  double before = 0, after = 0;              // nanoseconds per step
  double low = 0, high = 0;  // 95 % confidence interval of the change; if not tested, the change
  double rate = 0;           // false discovery rate; NaN if not tested
  bool significant = false;
  std::vector<EventId> events_before, events_after;  // the longest calls, at most ten
  double change() const { return after - before; }
};

struct Diff {
  struct Side {
    int64_t steps = 0;     // 0: none, the file counts as one
    double step_time = 0;  // nanoseconds; without steps, the measured window
  };
  Side before, after;
  bool over_steps = false;  // significance was tested over steps, else over calls
  double step_rate = 0;     // p of the step times; NaN if not tested
  double step_low = 0, step_high = 0;
  std::vector<NameChange> changes;  // changes of time or number of calls, the largest first
};

// Fails if shapes are requested and a file cannot be read again.
Result<Diff> diff(const Trace& before, const Trace& after, const DiffOptions& options = {});

// The findings are about `after`: what it could save.  Their events are events of `after`.
Answer answer_diff(const Trace& after, const Diff& diff);

// The ranks of a distributed run, one trace each: whether their clocks agree, whether the work is
// balanced, and who is waited for.
//   Ranks r = ranks({"rank0.json.gz", "rank1.json.gz"});
//   for (const RankTimes& rank : r.ranks) rank.wait, rank.work, rank.caused
// One trace is open at a time; its sums and collectives (about 40 bytes each) are kept.
//
// Definitions.
// - The rank is `distributedInfo.rank` of the file, else the last number in its name, else its
//   position in the list.
// - Collectives are communication kernels (is_communication).  Those of two ranks match if their
//   names and process groups (`Process Group Name` and `Ranks`, if given) are equal and they end
//   together: within a millisecond once the clocks are aligned.  Sends and receives between two
//   ranks match nothing else.
// - A collective ends on all ranks at the same time, so a rank's clock offset is the difference
//   between the ends of collectives shared with the rank it is compared with: the n-th of each name
//   and step are paired, and the offset is the median of the densest millisecond of differences;
//   wrong pairs (a sampled file, a truncated step) lie outside it.  `clock_spread` is the median of
//   the remaining deviations.
// - In a matched collective a rank waits until the last of the given ranks has begun it; the rest
//   is work.  The last rank `caused` the time from the begin of the last but one to its own.
// HolisticTraceAnalysis (get_potential_stragglers) compares the start times of kernels by each
// rank's own clock.

// Nanoseconds within the measured window.
struct RankTimes {
  int64_t rank = 0;
  std::string file;
  Window window;  // from the Unix epoch, by this rank's clock
  int64_t steps = 0;
  int64_t compute = 0, communication = 0, memory = 0;  // time in which some of it ran
  int64_t exposed = 0;                         // communication without concurrent computation
  int64_t idle = 0;                            // time in which nothing ran
  int64_t clock_offset = 0, clock_spread = 0;  // to add to its times
  bool aligned = false;  // shares collectives with an aligned rank; the first is aligned
  uint64_t collectives = 0, matched = 0;
  int64_t wait = 0, work = 0;   // in matched collectives
  int64_t exposed_wait = 0;     // lower bound of `wait` while its device computes nothing
  uint64_t last = 0;            // number of matched collectives that it began last
  int64_t caused = 0;           // time that others waited for it alone
  int64_t exposed_caused = 0;   // lower bound of that while none of them computed
  std::vector<EventId> waited;  // its collectives with the longest waits, at most ten
  std::vector<EventId> late;    // those it began last, the most awaited first, at most ten
};

struct Ranks {
  std::vector<RankTimes> ranks;  // by rank
  std::vector<Note> unread;      // files that could not be read, and why
};

Ranks ranks(const std::vector<std::string>& files, const LoadOptions& options = {});
// Events of a finding belong to the rank named in its sentence.
Answer answer_ranks(const Ranks& ranks);

// The rank in a trace's distributedInfo; nothing if absent.
std::optional<int64_t> stated_rank(const Trace& trace);
// The rank of a trace by the definition above; `place`: its position in the list.
int64_t rank_of(const Trace& trace, const std::string& file, size_t place);

// For a folder the traces in it, sorted by name; for a file itself.  Throws Error if there is none.
std::vector<std::string> trace_files(const std::vector<std::string>& places);

}  // namespace vitro::analyze
