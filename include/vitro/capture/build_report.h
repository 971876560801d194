// How one segment was made, stage by stage: whoever compiles segments fills it in, `explain` reads
// it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vitro/base/verdict.h"
#include "vitro/graph/pass.h"

namespace vitro::capture {

// One kernel as it is launched.
struct KernelReport {
  std::string name;
  std::vector<std::string> ops;     // of the program, in order: "mm", "relu_1"
  std::vector<std::string> places;  // file:line of them, each once
  std::string reason;               // why these are one kernel
  std::string bytes, flops;         // of one launch, as expressions over the size symbols
  bool once = false;                // packs a parameter: launched when that has changed
};

// A decision whether two neighbours become one kernel.
struct FusionReport {
  std::string producer, consumer;
  Verdict verdict;
};

struct StageReport {
  std::string name;  // "passes", "lower", "fuse", "plan", "codegen", "jit"
  int64_t ns = 0;
};

struct BuildReport {
  std::vector<StageReport> stages;  // in order of work
  std::vector<graph::PassReport> passes;
  std::vector<FusionReport> fusion;
  std::vector<KernelReport> kernels;               // in order of their launches
  int64_t arena_bytes = 0, temporaries_bytes = 0;  // together, and if each had its own memory
  bool from_cache = false;                         // no kernel had to be compiled
  std::string source;                              // the generated text of all kernels
};

}  // namespace vitro::capture
