// Graph to something that runs, in stages; each is timed, and all that they decide is kept.
//   auto made = backend::compile(graph, {}, &report);
//   if (!made) return made.failure();           // the caller runs eagerly and keeps the reason
//   (*made)->run(inputs, symbols, outputs);
// Threads: any; compiling keeps nothing outside of what it returns, but for the caches of jit.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/fuse/groups.h"
#include "backend/jit/jit.h"
#include "backend/run/executable.h"
#include "vitro/base/option.h"
#include "vitro/base/result.h"

namespace vitro::backend {

// Whether ops become one kernel where they can; without it each has its own.
extern Option<bool> fuse_option;

struct CompileOptions {
  std::string name = "graph";  // for events and dumps
  FuseOptions fuse;
  MachineModel machine = host_machine_model();  // that the kernels are made for
  size_t large_program_bytes = large_program;   // of text
  bool interpret = false;                       // kernels are not compiled: loop/interpret.h
  bool keep_loops = false;                      // loops as text go into the report
  bool keep_unfused = false;                    // those before fusion too
  // Hears what the stages make, as text, as soon as it is there: a file name and what is in it.
  std::function<void(std::string_view file, std::string_view text)> artifact = {};
};

// A generated kernel, for people.
struct KernelReport {
  std::string name;
  std::vector<std::string> ops;
  std::string reason;  // why these ops are one kernel
  std::string loops;   // where they are kept
  std::string source;
  std::string bytes, flops;  // of a launch; expressions of sizes
  int launches = 0;
};
struct StageReport {
  std::string_view name;
  int64_t ns = 0;
};
struct CompileReport {
  std::string name;
  std::string loops_before_fusion;
  std::vector<FusionDecision> decisions;
  std::vector<KernelReport> kernels;
  std::vector<size_t> launches;                    // in order: places in `kernels`
  std::vector<std::vector<std::string>> items;     // of each launch, as the graph names them
  std::vector<std::vector<std::string>> places;    // of each launch: file:line of its ops
  std::string plan;                                // buffers and arena
  int64_t arena_bytes = 0, temporaries_bytes = 0;  // together; each with memory of its own
  std::vector<StageReport> stages;
  jit::JitReport jit;
  int ops = 0;  // nodes of the graph that are no inputs
};

Result<std::unique_ptr<Executable>> compile(const graph::Graph& graph,
                                            const CompileOptions& options = {},
                                            CompileReport* report = nullptr);

}  // namespace vitro::backend
