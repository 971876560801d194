// Compiles a graph to an executable in stages; each is timed, and the report has their decisions.
//   auto made = backend::compile(graph, {}, &report);
//   if (!made) return made.failure();           // the caller runs eagerly and keeps the reason
//   (*made)->run(inputs, symbols, outputs);
// Any thread.  Compiling has no state besides its result, except for the caches of jit.
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

// Whether ops are fused into one kernel if possible; otherwise each has its own.
extern Option<bool> fuse_option;

struct BuildOptions {
  std::string name = "graph";  // for events and dumps
  FuseOptions fuse;
  std::optional<MachineModel> machine = {};    // the target of the kernels; default: the device's
  size_t large_program_bytes = large_program;  // of text
  bool exact = true;                           // keep the bits of eager
  bool interpret = false;                      // interpret kernels (loop/interpret.h)
  bool keep_loops = false;                     // report the loops as text
  bool keep_unfused = false;                   // also those before fusion
  // Called with each artifact as soon as its stage has made it: file name and content.
  std::function<void(std::string_view file, std::string_view text)> artifact = {};
};

// Adds what only the backend and its tests use.
struct CompileReport : BuildReport {
  std::string loops_before_fusion;
  std::string plan;  // buffers and arena
  jit::JitReport jit;
};

// Keeps what earlier stages wrote to the report.
Result<std::unique_ptr<Executable>> compile(const graph::Graph& graph,
                                            const BuildOptions& options = {},
                                            CompileReport* report = nullptr);

}  // namespace vitro::backend
