// How a graph was compiled, stage by stage: filled in by the compiler, read by `explain`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vitro/base/verdict.h"
#include "vitro/graph/pass.h"

namespace vitro {

struct StageReport {
  std::string name;  // "passes", "fuse_loops", "lower", "codegen", "jit"
  int64_t ns = 0;
};

// Whether two neighbours were fused into one kernel, and why.
struct FusionReport {
  std::string producer, consumer;
  Verdict verdict;
};

// A generated kernel; several launches may share one.
struct KernelReport {
  std::string name;
  std::vector<std::string> ops;  // names of ops: "mm", "relu"
  std::string reason;            // why these ops form one kernel
  std::string bytes, flops;      // of one launch, as expressions in the size symbols
  std::string source;            // the generated code
  std::string loops;             // only if requested
  std::string schedule;          // what is special about its loops; says so if it is not exact
};

// A launch of a kernel.
struct LaunchReport {
  size_t kernel = 0;                   // index into BuildReport::kernels
  std::vector<std::string> ops;        // names of nodes, in program order: "mm", "relu_1"
  std::vector<std::string> locations;  // their file:line and module path, without duplicates
  bool once = false;                   // packs a parameter: launched only after it changed
  bool joins = false;                  // runs with the launch before it, as one
};

struct BuildReport {
  std::vector<StageReport> stages;  // in order of execution
  std::vector<graph::PassReport> passes;
  std::vector<FusionReport> fusion;
  std::vector<KernelReport> kernels;
  std::vector<LaunchReport> launches;              // in order of execution
  int64_t arena_bytes = 0, temporaries_bytes = 0;  // with shared memory, and without sharing
  bool from_cache = false;                         // no kernel had to be compiled
  bool from_plan = false;    // nor was anything decided: a plan was kept; passes have no times
  std::string plan_refused;  // why a plan that was kept could not be used; empty: there was none

  const KernelReport& kernel_of(const LaunchReport& launch) const { return kernels[launch.kernel]; }
  // The generated code of all kernels.
  std::string source() const {
    std::string out;
    for (const KernelReport& kernel : kernels) out += kernel.source + "\n";
    return out;
  }
};

}  // namespace vitro
