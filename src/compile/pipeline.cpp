// Compiles captured graphs: graph passes, then the backend's kernels, per part if there are data
// sizes. capture calls it as the segment compiler "vitro" (make_compiler).
#include "compile/pipeline.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <utility>

#include "backend/compile.h"
#include "backend/jit/target.h"
#include "capture/layout.h"
#include "compile/compiled_graph.h"
#include "compile/kept_segment.h"
#include "graph/metas.h"
#include "graph/run_stage.h"
#include "vitro/base/error.h"
#include "vitro/base/function_ref.h"
#include "vitro/capture/function.h"
#include "vitro/compile/artifacts.h"
#include "vitro/events/rare.h"
#include "vitro/graph/pass.h"

namespace vitro::pipeline {
namespace {

thread_local CompiledHere* compiled_here = nullptr;

// State of a compilation, from the captured graph to kernels.
struct PipelineState {
  const std::string& name;
  bool exact;
  const graph::Graph& captured;
  graph::Graph graph = {};  // after the passes
  SegmentParts made = {};
};
void put(const PipelineState& w, std::string_view file, std::string_view text) {
  if (artifacts::wanted()) artifacts::put(w.name, file, text);
}

// Merges the report of a part into that of the earlier parts.
void add_report(backend::CompileReport part, BuildReport& to) {
  const size_t kernels = to.kernels.size();
  for (const StageReport& stage : part.stages) {
    const auto known = std::ranges::find(to.stages, stage.name, &StageReport::name);
    known == to.stages.end() ? to.stages.push_back(stage) : void(known->ns += stage.ns);
  }
  const auto append = [](auto& list, auto& more) {
    list.insert(list.end(), std::move_iterator(more.begin()), std::move_iterator(more.end()));
  };
  append(to.fusion, part.fusion);
  append(to.kernels, part.kernels);
  for (LaunchReport& launch : part.launches) launch.kernel += kernels;
  append(to.launches, part.launches);
  to.from_cache = part.from_cache && (kernels == 0 || to.from_cache);
  to.arena_bytes = std::max(to.arena_bytes, part.arena_bytes);
  to.temporaries_bytes += part.temporaries_bytes;
}

void optimize(PipelineState& w) {
  std::function<void(std::string_view, const graph::Graph&)> after;
  if (artifacts::wanted()) {
    put(w, "graph_captured.txt", graph::print(w.captured));
    after = [&w](std::string_view pass, const graph::Graph& g) {
      put(w, cat("graph_after_", pass, ".txt"), graph::print(g));
    };
  }
  const std::span<const graph::Pass> all = graph::standard_passes();
  const std::vector<graph::Pass> passes =
      w.exact ? graph::exact_passes(all) : std::vector<graph::Pass>(all.begin(), all.end());
  w.graph = graph::run_passes(w.captured, passes, &w.made.report.passes, after, w.name);
  if (artifacts::wanted()) put(w, "graph_after_passes.txt", graph::print(w.graph));
}

backend::BuildOptions options_for(PipelineState& w, const std::string& folder) {
  backend::BuildOptions options;
  options.name = w.name;
  options.fuse.fuse = backend::fuse_option.get();
  options.exact = w.exact;
  options.keep_unfused = artifacts::wanted();
  if (artifacts::wanted()) {
    options.artifact = [&w, folder](std::string_view file, std::string_view text) {
      put(w, cat(folder, file), text);
    };
  }
  return options;
}

// Calls f(graph, options, report) for each part with outputs, and `none` for the others, after
// which only a compaction of inputs follows.
void compile_parts(
    PipelineState& w,
    FunctionRef<void(const graph::Graph&, const backend::BuildOptions&, backend::CompileReport&)> f,
    FunctionRef<void()> none) {
  const events::PhaseScope phase("backend", w.name);
  w.made.compiled = std::make_unique<CompiledGraph>(std::move(w.graph));
  const std::span<const graph::Graph* const> graphs = w.made.compiled->graphs();
  for (size_t i = 0; i < graphs.size(); ++i) {
    if (graphs[i]->outputs().empty()) {
      none();
      continue;
    }
    const std::string folder = graphs.size() == 1 ? std::string() : cat("part", i, '_');
    backend::CompileReport report;
    f(*graphs[i], options_for(w, folder), report);
    add_report(std::move(report), w.made.report);
  }
}

void compile_kernels(PipelineState& w) {
  compile_parts(
      w,
      [&w](const graph::Graph& graph, const backend::BuildOptions& options,
           backend::CompileReport& report) {
        auto made = backend::compile(graph, options, &report);
        if (!made) throw_error(made.why());
        w.made.compiled->add(*std::move(made));
      },
      [&w] { w.made.compiled->add(nullptr); });
}

// Runs the passes, then `kernels`; keeps the guards that both asked for.
void compile_stages(PipelineState& w, FunctionRef<void()> kernels) {
  sym::GuardSink asked;
  sym::DataBounds bounds;
  graph::add_bounds(w.captured, bounds);
  graph::run_stage("passes", w.name, w.made.report.stages, [&] { optimize(w); });
  kernels();
  w.made.guards = asked.take();
}

// Copies of the inputs that a graph writes, to restore them after a failure.
class Snapshot {
 public:
  Snapshot(std::span<const int> written, std::span<const Operand> inputs) {
    for (const int input : written) {
      const Tensor& now = inputs[static_cast<size_t>(input)].tensor();
      kept_.emplace_back(now, capture::copy_with_strides(now, now.impl()->strides));
    }
  }
  void put_back() const {
    for (const auto& [now, before] : kept_) capture::copy_elements(before, now);
  }

 private:
  std::vector<std::pair<Tensor, Tensor>> kept_;
};

class Segment : public capture::CompiledSegment {
 public:
  Segment(SegmentParts made, const graph::Graph& captured)
      : compiled_(std::move(made.compiled)),
        report_(std::move(made.report)),
        guards_(std::move(made.guards)) {
    for (const graph::Output& output : captured.outputs()) {
      if (output.writes >= 0) written_.push_back(output.writes);
    }
  }
  void run(std::span<const Operand> inputs, std::span<const int64_t> symbols,
           std::span<Tensor> outputs) override {
    if (!compiled_->may_fail_late(inputs, symbols)) return compiled_->run(inputs, symbols, outputs);
    const Snapshot before(written_, inputs);
    try {
      compiled_->run(inputs, symbols, outputs);
    } catch (...) {
      before.put_back();
      throw;
    }
  }
  std::span<const sym::Guard> guards() const override { return guards_; }
  int kernel_count() const override {
    return static_cast<int>(std::count_if(report_.launches.begin(), report_.launches.end(),
                                          [](const auto& l) { return !l.once && !l.joins; })) +
           compiled_->compactions();
  }
  const BuildReport* report() const override { return &report_; }

 private:
  std::unique_ptr<CompiledGraph> compiled_;
  BuildReport report_;
  std::vector<int> written_;  // input indices
  std::vector<sym::Guard> guards_;
};

class Compiler : public capture::SegmentCompiler {
 public:
  explicit Compiler(bool exact) : exact_(exact) {}
  std::shared_ptr<capture::CompiledSegment> compile(const graph::Graph& graph,
                                                    const std::string& name,
                                                    std::string* why) override {
    try {
      note_compiled_here(graph, name);
      PipelineState work{name, exact_, graph};
      const KeptSegments kept(graph, exact_);
      if (!find(kept, work)) {
        compile_stages(work, [&work] { compile_kernels(work); });
        kept.keep(work.made);
      }
      return std::make_shared<Segment>(std::move(work.made), graph);
    } catch (const std::exception& e) {
      if (why) *why = e.what();
      return nullptr;
    }
  }

  std::shared_ptr<capture::CompiledSegment> load(const graph::Graph& graph,
                                                 const std::string& name) override {
    try {
      PipelineState work{name, exact_, graph};
      if (!find(KeptSegments(graph, exact_), work)) return nullptr;
      note_compiled_here(graph, name);
      return std::make_shared<Segment>(std::move(work.made), graph);
    } catch (const std::exception&) {
      return nullptr;  // `compile` reports it, if it meets it again
    }
  }

  std::shared_ptr<capture::SegmentCompiler> exact() override {
    return exact_ ? nullptr : make_compiler(true);
  }

 private:
  void note_compiled_here(const graph::Graph& graph, const std::string& name) const {
    if (CompiledHere* here = CompiledHere::current()) here->graphs.push_back({graph, name, exact_});
  }
  // A kept segment becomes what was made.
  static bool find(const KeptSegments& kept, PipelineState& work) {
    bool is_kept = false;
    std::vector<StageReport> looking;
    graph::run_stage("find_plan", work.name, looking,
                     [&] { is_kept = kept.find(work.name, work.made); });
    if (is_kept) work.made.report.stages = std::move(looking);
    return is_kept;
  }

  bool exact_;
};

}  // namespace

CompiledHere::CompiledHere() : before_(std::exchange(compiled_here, this)) {}

CompiledHere::~CompiledHere() {
  compiled_here = before_;
}

CompiledHere* CompiledHere::current() {
  return compiled_here;
}

Result<Done> compile_for(const CompiledHere::Captured& captured, kernels::Isa isa, TargetCode& to) {
  const std::optional<Hash> key = key_in_files(captured.graph, captured.exact);
  if (!key)
    return Failure{
        "it calls ops that the program has added itself, or this library has no build id"};
  try {
    PipelineState work{captured.name, captured.exact, captured.graph};
    std::deque<backend::PlannedGraph> made;
    std::vector<PlannedPart> parts;
    const auto compile = [&](const graph::Graph& graph, backend::BuildOptions options,
                             backend::CompileReport& report) {
      options.machine = backend::host_machine_model();
      if (isa != kernels::machine_isa()) options.machine->bf16_tiles = false;
      auto one = backend::compile_for(graph, options, jit::target_of(isa), report);
      if (!one) throw_error(one.why());
      made.push_back(*std::move(one));
      PlannedPart& part = parts.emplace_back(PlannedPart{&made.back().plan, {}});
      for (const auto& module : made.back().modules) {
        part.modules.push_back(module.key);
        to.modules.try_emplace(module.key, module.bytes);
      }
    };
    compile_stages(work, [&] { compile_parts(work, compile, [&] { parts.emplace_back(); }); });
    const auto bytes =
        bytes_of(work.made.compiled->graph(), work.made.guards, work.made.report, parts);
    if (!bytes) return Failure{"its plan cannot be kept"};
    to.plans.insert_or_assign(key->hex(), *bytes);
    return Done{};
  } catch (const std::exception& e) {
    return Failure{e.what()};
  }
}

std::shared_ptr<capture::SegmentCompiler> make_compiler(bool exact) {
  return std::make_shared<Compiler>(exact);
}

}  // namespace vitro::pipeline
