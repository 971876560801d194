// Presents the ranks of a run as tables and findings: the answer of `vitro trace ranks`.
#include <algorithm>
#include <numeric>

#include "analyze/findings/findings.h"
#include "analyze/model/words.h"
#include "vitro/analyze/compare.h"
#include "vitro/base/cat.h"

namespace vitro::analyze {
namespace {

AnswerTable times_table(const Ranks& ranks) {
  AnswerTable table{"ranks",
                    "What each rank did in the measured window",
                    {{"rank", "Rank", Unit::count},
                     {"file", "File"},
                     {"steps", "Steps", Unit::count},
                     {"window_ns", "Window", Unit::ns},
                     {"compute_ns", "Compute", Unit::ns},
                     {"communication_ns", "Communication", Unit::ns},
                     {"exposed_ns", "not hidden", Unit::ns},
                     {"memory_ns", "Memory", Unit::ns},
                     {"idle_ns", "Idle", Unit::ns},
                     {"idle_percent", "Idle", Unit::percent}},
                    {}};
  for (const RankTimes& r : ranks.ranks) {
    table.rows.push_back({r.rank, r.file, r.steps, r.window.length(), r.compute, r.communication,
                          r.exposed, r.memory, r.idle, percent(r.idle, r.window.length())});
  }
  return table;
}

AnswerTable collectives_table(const Ranks& ranks) {
  AnswerTable table{"collectives",
                    "Who waits for whom in collectives",
                    {{"rank", "Rank", Unit::count},
                     {"collectives", "Collectives", Unit::count},
                     {"matched", "Matched", Unit::count},
                     {"wait_ns", "Waits", Unit::ns},
                     {"work_ns", "Works", Unit::ns},
                     {"last", "Last in", Unit::count},
                     {"caused_ns", "Makes others wait", Unit::ns},
                     {"clock_offset_ns", "Clock", Unit::ns},
                     {"clock_spread_ns", "give or take", Unit::ns},
                     {"aligned", "Aligned"}},
                    {}};
  for (const RankTimes& r : ranks.ranks) {
    table.rows.push_back({r.rank, static_cast<int64_t>(r.collectives),
                          static_cast<int64_t>(r.matched), r.wait, r.work,
                          static_cast<int64_t>(r.last), r.caused, r.clock_offset, r.clock_spread,
                          std::string(r.aligned ? "yes" : "no")});
  }
  return table;
}

// The longest of all windows: shares are relative to it.
Window measured(const Ranks& ranks) {
  const auto longest = std::ranges::max_element(
      ranks.ranks, {}, [](const RankTimes& r) { return r.window.length(); });
  return longest == ranks.ranks.end() ? Window{} : longest->window;
}

void straggler(const Ranks& ranks, Findings& findings) {
  const auto most = std::ranges::max_element(ranks.ranks, {}, &RankTimes::caused);
  findings.add(
      {cat("ranks.straggler.", most->rank),
       cat("rank ", most->rank, " begins ", most->last, " of ", most->matched,
           " collectives last and makes the others wait ", time_text(most->caused),
           " for it alone (events of ", most->file, ")"),
       "find what delays it before these collectives: more data, a slower device, a slower "
       "host"},
      most->exposed_caused, most->caused, most->late);
}

void waiting(const Ranks& ranks, Findings& findings) {
  const auto [least, most] = std::ranges::minmax_element(ranks.ranks, {}, &RankTimes::wait);
  findings.add({"ranks.wait",
                cat("rank ", most->rank, " waits ", time_text(most->wait), " of ",
                    time_text(most->wait + most->work),
                    " in collectives until the last rank has begun them, rank ", least->rank,
                    " waits ", time_text(least->wait), " (events of ", most->file, ")"),
                "balance the work before collectives: batches and shards of equal size"},
               std::min(most->wait - least->wait, most->exposed_wait),
               std::min(most->wait, most->exposed), most->waited);
}

}  // namespace

Answer answer_ranks(const Ranks& ranks) {
  Answer answer{"ranks", {times_table(ranks), collectives_table(ranks)}, {}};
  if (ranks.ranks.size() < 2) return answer;
  Findings findings(measured(ranks));
  straggler(ranks, findings);
  waiting(ranks, findings);
  answer.findings = findings.take();
  return answer;
}

}  // namespace vitro::analyze
