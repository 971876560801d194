// The traces of all ranks of a run as one trace, by one clock.
//   auto merged = merge_ranks(trace_files({"traces/"}), "all.json.gz");
//
// - The rank of a trace and how far its clock is off are those of ranks.h: aligned by the ends of
//   collectives; a rank that shares none keeps its own clock.  Times count from the first rank's
//   base.
// - Processes are told apart: pid P of rank R becomes (R + 1) * 10,000,000 + P, a pid that is no
//   such number "rank R P"; each process is labelled "rank R" before its own labels.
// - What ties events together (correlation, External id, ids of arrows) is moved by R * 2^33, so
//   that no rank's events are tied to those of another.
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
    uint64_t events = 0, broken = 0;  // written; no JSON: left out
    int64_t clock_offset = 0;         // nanoseconds, added to its times
    bool aligned = false;
  };
  std::vector<Rank> ranks;
};

// Writes `out` (.json, .gz, .zst), which appears whole or not at all.  Fails where a file cannot be
// read, two are of the same rank, or it is but one.
Result<MergedRanks> merge_ranks(const std::vector<std::string>& files, const std::string& out,
                                const LoadOptions& options = {});
Answer answer_merged(const MergedRanks& merged);

// The pids whose name or labels say that they are of this rank: "rank 3", "Rank3", "[rank 3] GPU".
// Where none says so, all if the file itself is of this rank (`distributedInfo`), else none.
std::vector<std::string> processes_of_rank(const Trace& trace, int64_t rank);

}  // namespace vitro::analyze
