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
#include "vitro/graph/build_report.h"

namespace vitro::backend {

// Whether ops become one kernel where they can; without it each has its own.
extern Option<bool> fuse_option;

struct BuildOptions {
  std::string name = "graph";  // for events and dumps
  FuseOptions fuse;
  std::optional<MachineModel> machine = {};    // that the kernels are made for; else the device's
  size_t large_program_bytes = large_program;  // of text
  bool interpret = false;                      // kernels are not compiled: loop/interpret.h
  bool keep_loops = false;                     // loops as text go into the report
  bool keep_unfused = false;                   // those before fusion too
  // Hears what the stages make, as text, as soon as it is there: a file name and what is in it.
  std::function<void(std::string_view file, std::string_view text)> artifact = {};
};

// With what only the backend and its tests know.
struct CompileReport : BuildReport {
  std::string loops_before_fusion;
  std::string plan;  // buffers and arena
  jit::JitReport jit;
};

// What the report has of earlier stages stays.
Result<std::unique_ptr<Executable>> compile(const graph::Graph& graph,
                                            const BuildOptions& options = {},
                                            CompileReport* report = nullptr);

}  // namespace vitro::backend
