// What befell a compiled function, as values: `explain`, logs and tests read this.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "vitro/base/code.h"
#include "vitro/graph/build_report.h"
#include "vitro/graph/graph.h"

namespace vitro {

// What must hold for a segment to be run.  Its symbols are those of the segment's graph.
struct GuardReport {
  std::string text;          // "input 0: f32[s0, 4]", "s0 != 1"
  std::string asked;         // by whom first: "view", "asked before mul"; empty: an input
  bool counts_only = false;  // asks only whether the sizes of a result can be counted
};

// One segment: the ops between two breaks, for one set of results that are still wanted.
struct SegmentReport {
  std::string name;       // "f/0"
  std::string region;     // its name in tables and traces, "Torch-Compiled Region: 3/0"
  graph::Graph graph;     // as captured, before any pass; empty where it could not be built
  bool compiled = false;  // by the backend; otherwise it is interpreted
  std::string why_not;    // the reason, where it is not compiled
  int kernels = 0;
  uint64_t runs = 0;
  std::shared_ptr<const BuildReport> build;  // how it was made; null where nobody kept it
  int64_t compile_ns = 0, run_ns = 0;        // run_ns: the sum over all runs
  std::vector<GuardReport> guards;           // of all that led to its end, each once
};

// A break, a guard failure, a recompile or a fallback: what, why, where, how often.
struct Finding {
  const Code* code = nullptr;
  std::string reason;
  std::string place;  // file:line, or empty
  uint64_t count = 0;
};

struct CompiledReport {
  std::string name, backend;
  uint64_t calls = 0, ops_recorded = 0;
  std::vector<SegmentReport> segments;  // in the order in which they came up
  std::vector<Finding> breaks, recompiles, fallbacks;
  // Of all segments together, in the symbols of the calls: "input 0: f32[s0, 4]", "s0 < 8".
  std::vector<std::string> guards;
};

}  // namespace vitro
