// The stages of the backend, from a graph to an executable, and the report on what they made.
// `compile` runs them in order.
#include "backend/compile.h"

#include <algorithm>

#include "backend/jit/compiler.h"
#include "backend/lower/bands.h"
#include "backend/lower/launch_order.h"
#include "backend/lower/share_kernels.h"
#include "backend/lower/split_sweeps.h"
#include "backend/lower/streams.h"
#include "backend/program/opaque_operands.h"
#include "backend/program/single_results.h"
#include "base/build_id.h"
#include "graph/run_stage.h"
#include "kernels/prelude.h"
#include "vitro/base/error.h"

namespace vitro::backend {

Option<bool> fuse_option{"VITRO_FUSE", true, "fuse ops that can share loops into one kernel"};

namespace {

// State that stages pass on to later ones.
struct CompileState {
  const graph::Graph& given;
  const BuildOptions& options;
  CompileReport& report;
  runtime::DeviceRuntime& device;
  std::optional<graph::Graph> stored = {};
  std::optional<SingleResults> single = {};
  std::optional<Program> program = {};
  Groups groups = {};
  std::optional<BufferAssignment> assignment = {};
  std::vector<LoweredKernel> kernels = {};
  Sources sources = {};
  std::vector<std::shared_ptr<const jit::KernelModule>> modules = {};
  ExecutablePlan plan = {};
  std::unique_ptr<Executable> executable = {};

  // The graph as stages after the first see it.
  const graph::Graph& graph() const { return single ? single->graph : (stored ? *stored : given); }
};

void read_graph(CompileState& w) {
  w.stored = store_opaque_operands(w.given);
  w.single = single_results(w.graph());
  w.program.emplace(w.graph(), w.single ? w.single->result : std::vector<uint32_t>(),
                    w.options.machine.value_or(machine_model_of(w.device.traits())),
                    w.options.exact);
}

void fuse_loops(CompileState& w) {
  w.groups = fuse(*w.program, w.options.fuse);
  if (w.options.fuse.fuse) split_sweeps(*w.program, w.groups);
  w.report.fusion = std::move(w.groups.decisions);
}

std::string loops_text(const std::vector<LoweredKernel>& kernels) {
  std::string out;
  for (const LoweredKernel& lowered : kernels) out += loop::print(lowered.kernel) + "\n";
  return out;
}

void lower_groups(CompileState& w) {
  w.assignment.emplace(*w.program, w.groups);
  for (const Group& group : w.groups.groups) {
    for (LoweredKernel& kernel : lower(*w.program, *w.assignment, group)) {
      w.kernels.push_back(std::move(kernel));
    }
  }
  if (w.options.fuse.fuse) {
    join_in_bands(*w.program, *w.assignment, w.kernels, w.report.fusion);
    order_for_memory(w.kernels, *w.assignment);
  }
  if (w.options.artifact) w.options.artifact("loops_after_fusion.txt", loops_text(w.kernels));
  choose_streams(w.program->machine(), w.kernels, *w.assignment);
  share_kernels(w.kernels);
  if (!w.options.keep_unfused) return;
  const Groups single = fuse(*w.program, {.fuse = false});
  BufferAssignment assignment(*w.program, single);
  for (const Group& group : single.groups) {
    for (const LoweredKernel& kernel : lower(*w.program, assignment, group)) {
      w.report.loops_before_fusion += loop::print(kernel.kernel) + "\n";
    }
  }
  if (w.options.artifact) {
    w.options.artifact("loops_before_fusion.txt", w.report.loops_before_fusion);
  }
}

const jit::Prelude& prelude() {
  static const jit::Prelude& text = *new jit::Prelude(kernels::prelude_header());
  return text;
}

void write_code(CompileState& w) {
  w.sources = write_sources(w.kernels, w.graph().symbols(), w.options.large_program_bytes);
  if (!w.options.artifact) return;
  w.options.artifact("kernels.cpp", readable_text(w.sources));
  w.options.artifact("vitro_prelude.h", prelude().text);
}

void make_modules(CompileState& w) {
  if (w.options.interpret) return;
  auto modules = jit::load_or_compile_all(w.sources.modules, prelude(), &w.report.jit,
                                          w.options.name, w.device);
  VITRO_CHECK(modules, "the generated kernels of ", w.options.name,
              " do not compile: ", modules.why());
  w.modules = *std::move(modules);
}

void plan_launches(CompileState& w) {
  w.plan = make_plan(w.graph(), *w.assignment, w.kernels, w.sources, !w.options.interpret);
}

struct Stage {
  std::string_view name;
  void (*run)(CompileState&);
  bool loads = false;  // needs a device that runs the code
};
void run(const Stage& stage, CompileState& w) {
  graph::run_stage(stage.name, w.options.name, w.report.stages, [&] { stage.run(w); });
}
constexpr Stage stages[] = {
    {"read_graph", read_graph}, {"fuse_loops", fuse_loops},  {"lower", lower_groups},
    {"codegen", write_code},    {"jit", make_modules, true}, {"plan", plan_launches},
};

void report_kernels(CompileState& w) {
  CompileReport& r = w.report;
  for (const SourceKernel& kernel : w.sources.kernels) {
    KernelReport& made = r.kernels.emplace_back();
    made.name = kernel.name;
    made.source = kernel.comment + kernel.text;
  }
  for (size_t i = 0; i < w.kernels.size(); ++i) {
    const loop::Kernel& kernel = w.kernels[i].kernel;
    LaunchReport& launch = r.launches.emplace_back();
    launch.kernel = w.kernels[i].opaque ? r.kernels.size() : w.sources.kernel_of[i];
    if (w.kernels[i].opaque) {
      KernelReport& made = r.kernels.emplace_back();
      made.name = kernel.ops[0];
      made.source = "// a user's kernel\n";
    }
    for (const ComputeNodeId compute_node : w.kernels[i].compute_nodes)
      launch.ops.push_back(w.program->name_of(compute_node));
    launch.locations = kernel.locations;
    const Launch& built = w.plan.launches[i];
    launch.once = built.keeps || built.keeps_results;
    launch.joins = built.joins;
    KernelReport& k = r.kernels[launch.kernel];
    if (!k.bytes.empty()) continue;  // of an earlier launch
    k.ops = kernel.ops;
    k.reason = kernel.reason;
    k.schedule = kernel.schedule;
    if (w.options.keep_loops) k.loops = loop::print(kernel);
    k.bytes = kernel.bytes.text();
    k.flops = kernel.flops.text();
  }
  r.from_cache = r.jit.from_disk || r.jit.from_memory;
}

void report_memory(CompileState& w) {
  CompileReport& r = w.report;
  std::vector<bool> used(w.assignment->buffers().size());
  for (const LoweredKernel& lowered : w.kernels) {
    for (const BufferId id : lowered.buffers) used[id.n] = true;
  }
  for (size_t i = 0; i < used.size(); ++i) {
    const BufferInfo& b = w.assignment->buffers()[i];
    if (b.kind == BufferKind::temporary && !used[i]) continue;  // passed on within a kernel
    static constexpr std::string_view kinds[] = {"input", "output", "temporary", "panels"};
    r.plan += cat(b.name, ": ", kinds[static_cast<size_t>(b.kind)], ", ", b.count, " x ",
                  vitro::name_of(b.dtype), "\n");
  }
  if (w.executable && w.graph().symbols().empty()) {
    const Executable::Memory memory = w.executable->memory({});
    r.arena_bytes = memory.arena;
    r.temporaries_bytes = memory.temporaries;
    r.plan +=
        cat("arena: ", memory.arena, " bytes for ", memory.temporaries, " bytes of temporaries\n");
  }
  if (w.options.artifact) w.options.artifact("plan.txt", r.plan);
}

}  // namespace

Device device_of(const graph::Graph& graph) {
  std::optional<Device> device;
  for (const graph::Node& node : graph.nodes()) {
    if (node.is_input() && node.input == graph::InputKind::number) continue;
    for (const TensorMeta& meta : node.results) {
      VITRO_CHECK(!device || *device == meta.device,
                  "compile: the tensors are on different devices, ", *device, " and on ",
                  meta.device);
      device = meta.device;
    }
  }
  return device.value_or(cpu);
}

std::optional<Hash> build_key(const BuildOptions& options) {
  static const std::string& build = *new std::string(build_id());
  if (build.empty()) return std::nullopt;
  Hasher h;
  h.add(build);
  h.add(jit::compiler_identity());
  h.add(prelude().hash);
  h.add(options.fuse.fuse), h.add(options.exact), h.add(options.large_program_bytes);
  return h.finish();
}

Hash target_key(const MachineModel& m, const jit::Target& target) {
  Hasher h;
  h.add(target.triple), h.add(target.features), h.add(target.vector_bits), h.add(target.isa);
  for (const int64_t number : {m.l1_bytes, m.l2_bytes, m.l3_bytes, int64_t{m.threads},
                               int64_t{m.overlapped_steps}, int64_t{m.operations_of_fetch}, m.lanes,
                               m.least_streamed_bytes, int64_t{m.bf16_tiles}, m.panel_columns})
    h.add(number);
  return h.finish();
}

Result<std::unique_ptr<Executable>> load(ExecutablePlan plan, std::span<const std::string> modules,
                                         runtime::DeviceRuntime& device, std::string_view name,
                                         jit::JitReport* report) {
  auto found = jit::find_modules(modules, report, name, device);
  if (!found) return found.failure();
  try {
    return std::make_unique<Executable>(device, std::move(plan), *std::move(found));
  } catch (const std::exception& e) {
    return Failure{e.what()};
  }
}

Result<std::unique_ptr<Executable>> compile(const graph::Graph& graph, const BuildOptions& options,
                                            CompileReport* report) {
  CompileReport own;
  CompileReport& r = report ? *report : own;
  if (!options.interpret) jit::expect_text();
  try {
    CompileState work{graph, options, r, runtime::device_runtime(device_of(graph))};
    for (const Stage& stage : stages) run(stage, work);
    if (report) report_kernels(work);
    work.executable = std::make_unique<Executable>(work.device, std::move(work.plan), work.modules);
    if (report) report_memory(work);
    return std::move(work.executable);
  } catch (const std::exception& e) {
    return Failure{e.what()};
  }
}

Result<PlannedGraph> compile_for(const graph::Graph& graph, const BuildOptions& options,
                                 const jit::Target& target, CompileReport& report) {
  try {
    CompileState work{graph, options, report, runtime::device_runtime(device_of(graph))};
    for (const Stage& stage : stages)
      if (!stage.loads) run(stage, work);
    report_kernels(work);
    PlannedGraph out;
    for (const jit::ModuleText& text : work.sources.modules) {
      std::string key;
      Result<std::string> bytes = jit::compile_for(text, prelude(), target, options.name, &key);
      if (!bytes) return bytes.failure();
      out.modules.push_back({std::move(key), *std::move(bytes)});
    }
    out.plan = std::move(work.plan);
    return out;
  } catch (const std::exception& e) {
    return Failure{e.what()};
  }
}

}  // namespace vitro::backend
