// Merges the traces of all ranks of a run into one, with a common clock.
//   auto merged = merge_ranks(trace_files({"traces/"}), "all.json.gz");
//
// - The rank of a trace and its clock offset are those of ranks.h: aligned by the ends of
//   collectives; a rank that shares none keeps its own clock.  Times count from the first rank's
//   base.
// - Processes are kept apart: pid P of rank R becomes (R + 1) * 10,000,000 + P, or "rank R P" if it
//   is not such a number; each process gets the label "rank R" before its own labels.
// - Numbers that link events (correlation, External id, ids of arrows) are shifted by R * 2^33, so
//   that events of different ranks are never linked.
// One trace is open at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vitro/analyze/ranks.h"

namespace vitro::analyze {

struct MergedRanks {
  struct Rank {
    int64_t rank = 0;
    std::string file;
    uint64_t events = 0, broken = 0;  // written; invalid JSON: dropped
    int64_t clock_offset = 0;         // nanoseconds, added to its times
    bool aligned = false;
  };
  std::vector<Rank> ranks;
};

// Writes `out` (.json, .gz, .zst), which appears complete or not at all.  Fails if a file cannot be
// read, if two are of the same rank, or if there is only one.
Result<MergedRanks> merge_ranks(const std::vector<std::string>& files, const std::string& out,
                                const LoadOptions& options = {});
Answer answer_merged(const MergedRanks& merged);

// The pids whose name or labels contain this rank: "rank 3", "Rank3", "[rank 3] GPU".  If there are
// none: all if the file itself is of this rank (`distributedInfo`), else none.
std::vector<std::string> processes_of_rank(const Trace& trace, int64_t rank);

}  // namespace vitro::analyze
