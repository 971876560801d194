// How a graph was made into something that runs, stage by stage: whoever compiles graphs fills it
// in, `explain` reads it.
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

// A decision whether two neighbours become one kernel.
struct FusionReport {
  std::string producer, consumer;
  Verdict verdict;
};

// A generated kernel; several launches may be of the same one.
struct KernelReport {
  std::string name;
  std::vector<std::string> ops;  // by the names of ops: "mm", "relu"
  std::string reason;            // why these are one kernel
  std::string bytes, flops;      // of one launch, as expressions over the size symbols
  std::string source;            // the generated text
  std::string loops;             // where somebody asked for them
};

// A launch of a kernel.
struct LaunchReport {
  size_t kernel = 0;                // place in BuildReport::kernels
  std::vector<std::string> ops;     // of the program, in order: "mm", "relu_1"
  std::vector<std::string> places;  // file:line of them and the module's path, each once
  bool once = false;                // packs a parameter: launched when that has changed
};

struct BuildReport {
  std::vector<StageReport> stages;  // in order of work
  std::vector<graph::PassReport> passes;
  std::vector<FusionReport> fusion;
  std::vector<KernelReport> kernels;
  std::vector<LaunchReport> launches;              // in order
  int64_t arena_bytes = 0, temporaries_bytes = 0;  // together, and if each had its own memory
  bool from_cache = false;                         // no kernel had to be compiled

  const KernelReport& kernel_of(const LaunchReport& launch) const { return kernels[launch.kernel]; }
  // The generated text of all kernels.
  std::string source() const {
    std::string out;
    for (const KernelReport& kernel : kernels) out += kernel.source + "\n";
    return out;
  }
};

}  // namespace vitro
