// What happened to a compiled function, as values, for `explain`, logs and tests.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vitro/base/code.h"
#include "vitro/graph/build_report.h"
#include "vitro/graph/graph.h"
#include "vitro/sym/size.h"

namespace vitro {

// A condition for running a segment, in the symbols of the segment's graph.
struct GuardReport {
  std::string text;   // "input 0: f32[s0, 4]", "s0 != 1"
  std::string asked;  // where it came from first: "view", "asked before mul"; empty: an input
  bool counts_only = false;              // only checks that a result's sizes do not overflow
  std::optional<sym::Guard> guard = {};  // none: an input
};

// One segment variant: the ops between two breaks, for one set of results that are still held.
struct SegmentReport {
  std::string name;       // "f/0"
  std::string region;     // its name in tables and traces, "Torch-Compiled Region: 3/0"
  graph::Graph graph;     // as captured, before any pass; empty if it could not be built
  bool compiled = false;  // by the backend; if false, it is interpreted
  std::string why_not;    // the reason if not compiled
  int kernels = 0;
  uint64_t runs = 0;
  std::shared_ptr<const BuildReport> build;  // how it was built; null if not kept
  int64_t compile_ns = 0, run_ns = 0;        // run_ns: the sum over all runs
  std::vector<GuardReport> guards;           // of the whole path to its end, without duplicates
  // Results that gradients computed later compute again instead of keeping them: "gelu: f32[8]";
  // the bytes that are kept, and that would be without it, by the sizes of the recorded call.
  std::vector<std::string> computed_again;
  int64_t kept_bytes = 0, kept_bytes_without = 0;
};

// A break, guard failure, recompile or fallback: what, why, where, how often.
struct Diagnostic {
  const Code* code = nullptr;
  std::string reason;
  std::string location;  // file:line, or empty
  uint64_t count = 0;
};

struct CompiledReport {
  std::string name, backend;
  uint64_t calls = 0, ops_recorded = 0;
  std::vector<SegmentReport> segments;  // in order of creation
  std::vector<Diagnostic> breaks, recompiles, fallbacks;
  // Of all segments, in the symbols of the calls: "input 0: f32[s0, 4]", "s0 < 8".
  std::vector<std::string> guards;
  // Of the gradients that backward passes have computed after its calls; null: none.
  std::shared_ptr<const CompiledReport> backward;
};

}  // namespace vitro
