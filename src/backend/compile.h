// Compiles a graph to an executable in stages; each is timed, and the report has their decisions.
//   auto made = backend::compile(graph, {}, &report);
//   if (!made) return made.failure();           // the caller runs eagerly and keeps the reason
//   (*made)->run(inputs, symbols, outputs);
// Any thread.  Compiling has no state besides its result, except for the caches of jit.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/fuse/groups.h"
#include "backend/jit/jit.h"
#include "backend/jit/target.h"
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

// A hash of everything but the graph and the target that `compile` decides by: options, the text of
// the prelude, and the build of this library.  Nothing if the build has no id.
std::optional<Hash> build_key(const BuildOptions& options);
Hash target_key(const MachineModel& machine, const jit::Target& target);

// The same for a target that need not be this machine: a plan, and its modules as bytes.
struct PlannedGraph {
  struct Module {
    std::string key, bytes;
  };
  ExecutablePlan plan;
  std::vector<Module> modules;
};
Result<PlannedGraph> compile_for(const graph::Graph& graph, const BuildOptions& options,
                                 const jit::Target& target, CompileReport& report);

// Makes an executable from a plan and the modules with these keys, which a cache must have: nothing
// is compiled.
Result<std::unique_ptr<Executable>> load(ExecutablePlan plan, std::span<const std::string> modules,
                                         runtime::DeviceRuntime& device, std::string_view name,
                                         jit::JitReport* report);

// The device of all tensors of the graph; Error if they are on different devices.
Device device_of(const graph::Graph& graph);

}  // namespace vitro::backend
