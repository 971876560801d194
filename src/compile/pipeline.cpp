// Compiles captured graphs: graph passes, then the backend's kernels, per part if there are data
// sizes. capture calls it as the segment compiler "vitro" (make_compiler).
#include "compile/pipeline.h"

#include <algorithm>
#include <functional>

#include "backend/compile.h"
#include "capture/layout.h"
#include "compile/compiled_graph.h"
#include "graph/metas.h"
#include "graph/run_stage.h"
#include "vitro/base/error.h"
#include "vitro/capture/function.h"
#include "vitro/compile/artifacts.h"
#include "vitro/events/rare.h"
#include "vitro/graph/pass.h"

namespace vitro::pipeline {
namespace {

// State of a compilation, from the captured graph to kernels.
struct PipelineState {
  const std::string& name;
  bool exact;
  const graph::Graph& captured;
  graph::Graph graph = {};  // after the passes
  backend::CompileReport report = {};
  std::unique_ptr<CompiledGraph> compiled = {};
};
void put(const PipelineState& w, std::string_view file, std::string_view text) {
  if (artifacts::wanted()) artifacts::put(w.name, file, text);
}

// Merges the report of a part into that of the earlier parts.
void add_report(backend::CompileReport part, backend::CompileReport& to) {
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
  w.graph = graph::run_passes(w.captured, passes, &w.report.passes, after, w.name);
  if (artifacts::wanted()) put(w, "graph_after_passes.txt", graph::print(w.graph));
}

std::unique_ptr<backend::Executable> compile_graph(PipelineState& w, const graph::Graph& graph,
                                                   const std::string& folder,
                                                   backend::CompileReport& report) {
  backend::BuildOptions options;
  options.name = w.name;
  options.fuse.fuse = backend::fuse_option.get();
  options.exact = w.exact;
  options.keep_unfused = artifacts::wanted();
  if (artifacts::wanted()) {
    options.artifact = [&w, &folder](std::string_view file, std::string_view text) {
      put(w, cat(folder, file), text);
    };
  }
  auto made = backend::compile(graph, options, &report);
  if (!made) throw_error(made.why());
  return *std::move(made);
}

void compile_kernels(PipelineState& w) {
  const events::PhaseScope phase("backend", w.name);
  w.compiled = std::make_unique<CompiledGraph>(std::move(w.graph));
  const std::span<const graph::Graph* const> graphs = w.compiled->graphs();
  for (size_t i = 0; i < graphs.size(); ++i) {
    if (graphs[i]->outputs().empty()) {  // only a compaction of inputs follows
      w.compiled->add(nullptr);
      continue;
    }
    const std::string folder = graphs.size() == 1 ? std::string() : cat("part", i, '_');
    backend::CompileReport report;
    auto made = compile_graph(w, *graphs[i], folder, report);
    w.compiled->add(std::move(made));
    add_report(std::move(report), w.report);
  }
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
  Segment(PipelineState work, const graph::Graph& captured, std::vector<sym::Guard> guards)
      : compiled_(std::move(work.compiled)),
        report_(std::move(work.report)),
        guards_(std::move(guards)) {
    for (const graph::Output& output : captured.outputs()) {
      if (output.writes >= 0) written_.push_back(output.writes);
    }
  }
  void run(std::span<const Operand> inputs, std::span<const int64_t> symbols,
           std::span<Tensor> outputs) override {
    if (!compiled_->may_fail_late()) return compiled_->run(inputs, symbols, outputs);
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
                                          [](const auto& launch) { return !launch.once; })) +
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
      PipelineState work{name, exact_, graph};
      sym::GuardSink asked;
      sym::DataBounds bounds;
      graph::add_bounds(graph, bounds);
      graph::run_stage("passes", name, work.report.stages, [&] { optimize(work); });
      compile_kernels(work);
      return std::make_shared<Segment>(std::move(work), graph, asked.take());
    } catch (const std::exception& e) {
      if (why) *why = e.what();
      return nullptr;
    }
  }

  std::shared_ptr<capture::SegmentCompiler> exact() override {
    return exact_ ? nullptr : make_compiler(true);
  }

 private:
  bool exact_;
};

}  // namespace

std::shared_ptr<capture::SegmentCompiler> make_compiler(bool exact) {
  return std::make_shared<Compiler>(exact);
}

}  // namespace vitro::pipeline
