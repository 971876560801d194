// `vitro inspect`: what a model that torch.export.save wrote takes, gives, holds and computes.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "command.h"
#include "inspect_graph.h"
#include "model_inputs.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/base/module_path.h"
#include "vitro/core/interpreter.h"
#include "vitro/ops/flops.h"
#include "vitro/report/json.h"
#include "vitro/report/table.h"
#include "vitro/report/units.h"
#include "vitro/runtime/memory.h"

namespace vitro::cli {
namespace {

struct InspectSetting {
  std::string file, model, graph;
  bool json = false, flops = false, memory = false;
  int depth = 2;
  size_t rows = 20;
};

// Counts the operations of each call that it passes on, by op and by module.
class FlopCounter : public Interpreter {
 public:
  void call(const OpCall& call, std::span<Tensor> results) override {
    Interpreter::call(call, results);
    if (results.empty() || !results[0].defined()) return;
    const uint64_t count = ops::flops_of(call, results[0].meta());
    if (count == 0 && call.op->composite && !call.in_place) return count_program(call, results);
    total += count;
    by_module[std::string(module_path(current_module))] += count;
  }
  uint64_t total = 0;
  std::map<std::string, uint64_t> by_module;

 private:
  // Counts the calls that a composite is a program of, by running them once more.
  void count_program(const OpCall& call, std::span<Tensor> results) {
    std::vector<Tensor> again(results.size());
    call.op->composite->expand(call.operands, call.attrs, again);
  }
};

// Notes after which call most memory is in use.
class MemoryWatcher : public Interpreter {
 public:
  void call(const OpCall& call, std::span<Tensor> results) override {
    const int64_t before = memory_stats().peak_bytes;
    Interpreter::call(call, results);
    if (memory_stats().peak_bytes <= before) return;
    op = call.op->name;
    module = module_path(current_module);
  }
  std::string_view op, module;
};

// What a call on the example needs besides the weights and its arguments.
struct Memory {
  int64_t eager = 0;             // at most at a time
  std::string where;             // the call at which that is so
  std::optional<int64_t> arena;  // of the compiled model, if it could be compiled
};

struct Module {
  std::string path;
  uint64_t bytes = 0, elements = 0, flops = 0, nodes = 0;
};

std::string_view kind_name(ModelWeight::Kind kind) {
  switch (kind) {
    case ModelWeight::Kind::parameter:
      return "parameter";
    case ModelWeight::Kind::buffer:
      return "buffer";
    case ModelWeight::Kind::constant:
      return "constant";
  }
  return "";
}
std::string_view kind_name(ModelInput::Kind kind) {
  switch (kind) {
    case ModelInput::Kind::tensor:
      return "tensor";
    case ModelInput::Kind::number:
      return "number";
    case ModelInput::Kind::literal:
      return "literal";
  }
  return "";
}

uint64_t elements_of(const Tensor& tensor) {
  return static_cast<uint64_t>(tensor.numel().value());
}
uint64_t bytes_of_weight(const Tensor& tensor) {
  return elements_of(tensor) * static_cast<uint64_t>(bytes_of(tensor.dtype()));
}

class Inspection {
 public:
  Inspection(const InspectSetting& setting, ExportedModel model)
      : setting_(setting), model_(std::move(model)) {
    for (const ModelNode& node : model_.nodes()) {
      ++ops_[node.target];
      ++module(node.module).nodes;
    }
    std::set<uint64_t> storages;
    for (const ModelWeight& one : model_.parameters()) {
      const bool is_new = storages.insert(one.tensor.storage().id()).second;
      const size_t dot = one.name.rfind('.');
      Module& owner = module(dot == one.name.npos ? "" : one.name.substr(0, dot));
      if (!is_new) continue;
      owner.bytes += bytes_of_weight(one.tensor);
      owner.elements += elements_of(one.tensor);
      bytes_ += bytes_of_weight(one.tensor);
      if (one.kind == ModelWeight::Kind::parameter) parameters_ += elements_of(one.tensor);
    }
    if (setting.flops) count_flops();
    if (setting.memory) measure_memory();
  }

  void print() const;
  void print_json() const;

 private:
  Module& module(std::string_view path) {
    const std::string key = module_prefix(path, setting_.depth);
    Module& out = modules_[key];
    out.path = key;
    return out;
  }
  void count_flops() {
    FlopCounter counter;
    {
      const Using use(&counter);
      (void)model_(std::span<const ArgValue>(read_inputs(model_, {})));
    }
    flops_ = counter.total;
    for (const auto& [path, count] : counter.by_module) module(path).flops += count;
  }
  void measure_memory() {
    const std::vector<ArgValue> inputs = read_inputs(model_, {});
    MemoryWatcher watcher;
    const int64_t before = memory_stats().live_bytes;
    reset_memory_peak();
    {
      const Using use(&watcher);
      (void)model_(std::span<const ArgValue>(inputs));
    }
    memory_.eager = memory_stats().peak_bytes - before;
    memory_.where = cat(watcher.op, watcher.module.empty() ? "" : " in ", watcher.module);
    const ExportedModel fast = compiled(model_);
    constexpr int calls = 3;  // the first ones may run op by op
    for (int i = 0; i < calls; ++i) (void)fast(std::span<const ArgValue>(inputs));
    for (const SegmentReport& one : fast.report().segments)
      if (one.compiled && one.build)
        memory_.arena = std::max(memory_.arena.value_or(0), one.build->arena_bytes);
  }
  std::vector<std::pair<std::string, uint64_t>> ops_by_count() const {
    std::vector<std::pair<std::string, uint64_t>> out(ops_.begin(), ops_.end());
    std::ranges::stable_sort(out, [](const auto& a, const auto& b) { return a.second > b.second; });
    return out;
  }
  void print_signature() const;
  void print_modules() const;
  void print_ops() const;
  void print_memory() const;

  const InspectSetting& setting_;
  ExportedModel model_;
  std::map<std::string, uint64_t> ops_;
  std::map<std::string, Module> modules_;
  uint64_t bytes_ = 0, parameters_ = 0, flops_ = 0;
  Memory memory_;
};

std::string range_text(const ModelSize& size) {
  return cat(size.text, " in [", size.min, ", ", size.max ? cat(*size.max) : "any", "]");
}

void Inspection::print_signature() const {
  std::printf("inputs\n");
  std::vector<std::string> ranges;
  for (const ModelInput& one : model_.inputs()) {
    std::printf("  %s\n", one.text().c_str());
    for (const ModelSize& size : one.sizes)
      if (!size.number && std::ranges::find(ranges, range_text(size)) == ranges.end())
        ranges.push_back(range_text(size));
  }
  std::printf("outputs\n");
  for (const ModelOutput& one : model_.outputs()) std::printf("  %s\n", one.text().c_str());
  std::printf("%s\n", ranges.empty() ? "all sizes are fixed: the export named no dynamic ones"
                                     : "sizes that may vary");
  for (const std::string& one : ranges) std::printf("  %s\n", one.c_str());
  if (model_.guards().empty()) return;
  std::printf("only for inputs with\n");
  for (const std::string& one : model_.guards()) std::printf("  %s\n", one.c_str());
}

void Inspection::print_modules() const {
  std::vector<report::Column> columns{
      {"Module", report::Align::left, 50}, {"Elements"}, {"Bytes"}, {"Share"}, {"Nodes"}};
  if (setting_.flops) {
    columns.push_back({"FLOPs"});
    columns.push_back({"Share"});
  }
  report::Table table(columns);
  size_t left = setting_.rows;
  for (const auto& [path, one] : modules_) {
    if (left-- == 0) break;
    std::vector<report::Cell> row{
        path.empty() ? "(the model itself)" : path,
        report::count_text(static_cast<double>(one.elements)),
        report::bytes_text(static_cast<double>(one.bytes)),
        report::percent_text(static_cast<double>(one.bytes), static_cast<double>(bytes_)),
        cat(one.nodes)};
    if (setting_.flops) {
      row.emplace_back(report::count_text(static_cast<double>(one.flops)));
      row.emplace_back(
          report::percent_text(static_cast<double>(one.flops), static_cast<double>(flops_)));
    }
    table.row(row);
  }
  std::fputs(table.text().c_str(), stdout);
  if (modules_.size() > setting_.rows)
    std::printf("%zu more modules (--rows)\n", modules_.size() - setting_.rows);
}

void Inspection::print_ops() const {
  report::Table table({{"Op", report::Align::left}, {"Calls"}});
  size_t left = setting_.rows;
  for (const auto& [name, count] : ops_by_count()) {
    if (left-- == 0) break;
    table.row({name, cat(count)});
  }
  std::fputs(table.text().c_str(), stdout);
  if (ops_.size() > setting_.rows)
    std::printf("%zu more ops (--rows)\n", ops_.size() - setting_.rows);
}

void Inspection::print() const {
  std::printf(
      "model %s, exported by PyTorch %s\n", model_.name().c_str(),
      model_.torch_version().empty() ? "of an unknown version" : model_.torch_version().c_str());
  print_signature();
  std::printf("%s parameters, %s with buffers and constants\n",
              report::count_text(static_cast<double>(parameters_)).c_str(),
              report::bytes_text(static_cast<double>(bytes_)).c_str());
  if (const std::string why = model_.example_problem(); !why.empty())
    std::printf("the export's example inputs cannot be read: %s\n", why.c_str());
  if (setting_.flops)
    std::printf("%s floating-point operations for inputs of the example's sizes\n",
                report::count_text(static_cast<double>(flops_)).c_str());
  if (setting_.memory) print_memory();
  print_modules();
  print_ops();
}

void Inspection::print_memory() const {
  const auto text = [](auto bytes) { return report::bytes_text(static_cast<double>(bytes)); };
  std::printf(
      "peak memory for inputs of the example's sizes: %s, weights %s and at most %s of "
      "tensors, at %s\n",
      text(static_cast<int64_t>(bytes_) + memory_.eager).c_str(), text(bytes_).c_str(),
      text(memory_.eager).c_str(), memory_.where.c_str());
  if (memory_.arena)
    std::printf("compiled, instead of these tensors an arena of %s, and the outputs\n",
                text(*memory_.arena).c_str());
}

void json_of_sizes(report::Json& json, const std::vector<ModelSize>& sizes) {
  json.key("sizes").begin_array();
  for (const ModelSize& size : sizes) {
    if (size.number) {
      json.value(*size.number);
      continue;
    }
    json.begin_object().member("size", size.text).member("min", size.min);
    if (size.max) json.member("max", *size.max);
    json.end();
  }
  json.end();
}

void Inspection::print_json() const {
  report::TextOutput text;
  report::Json json(text, 2);
  json.begin_object().member("model", model_.name()).member("torch", model_.torch_version());
  json.key("inputs").begin_array();
  for (const ModelInput& one : model_.inputs()) {
    json.begin_object().member("name", one.name).member("path", one.path);
    json.member("kind", kind_name(one.kind));
    if (one.kind == ModelInput::Kind::literal) json.member("value", text_of(one.literal));
    if (one.kind == ModelInput::Kind::tensor) {
      json.member("dtype", name_of(one.dtype));
      json_of_sizes(json, one.sizes);
    }
    json.end();
  }
  json.end().key("outputs").begin_array();
  for (const ModelOutput& one : model_.outputs()) {
    json.begin_object().member("name", one.name);
    if (one.is_tensor) {
      json.member("dtype", name_of(one.dtype));
      json_of_sizes(json, one.sizes);
    }
    json.end();
  }
  json.end().key("guards").begin_array();
  for (const std::string& one : model_.guards()) json.value(one);
  json.end().key("weights").begin_array();
  for (const ModelWeight& one : model_.parameters()) {
    json.begin_object().member("name", one.name).member("kind", kind_name(one.kind));
    json.member("dtype", name_of(one.tensor.dtype())).key("sizes").begin_array();
    for (const Size size : one.tensor.sizes()) json.value(size.value());
    json.end().member("bytes", bytes_of_weight(one.tensor)).end();
  }
  json.end().key("modules").begin_array();
  for (const auto& [path, one] : modules_) {
    json.begin_object().member("path", path).member("elements", one.elements);
    json.member("bytes", one.bytes).member("nodes", one.nodes);
    if (setting_.flops) json.member("flops", one.flops);
    json.end();
  }
  json.end().key("ops").begin_object();
  for (const auto& [name, count] : ops_by_count()) json.member(name, count);
  json.end().member("parameters", parameters_).member("bytes", bytes_);
  if (const std::string why = model_.example_problem(); !why.empty())
    json.member("example_problem", why);
  if (setting_.flops) json.member("flops", flops_);
  if (setting_.memory) {
    json.member("peak_bytes", static_cast<int64_t>(bytes_) + memory_.eager);
    json.member("peak_tensor_bytes", memory_.eager).member("peak_at", memory_.where);
    if (memory_.arena) json.member("arena_bytes", *memory_.arena);
  }
  json.end();
  text.finish();
  std::printf("%s\n", text.text().c_str());
}

int inspect_model(const InspectSetting& setting) {
  if (!setting.graph.empty()) check_is_another_file(setting.graph, setting.file);
  const ExportedModel model = load(setting.file, setting.model);
  const Inspection inspection(setting, model);
  if (setting.json) {
    inspection.print_json();
  } else {
    inspection.print();
  }
  if (!setting.graph.empty()) write_graph(model, setting.graph, setting.depth);
  return 0;
}

std::function<int()> declare(CLI::App& app) {
  auto setting = std::make_shared<InspectSetting>();
  app.add_option("file", setting->file, model_words)->required();
  app.add_option("--model", setting->model, "one of the models in the file");
  app.add_flag("--json", setting->json, "as JSON, complete");
  app.add_flag("--flops", setting->flops,
               "also count floating-point operations, by a run on the example");
  app.add_flag("--memory", setting->memory,
               "also measure the most memory that calls on the example need, eager and compiled: "
               "weights, and tensors that exist at the same time");
  app.add_option("--graph", setting->graph,
                 "also write a picture (SVG): ops, what they give and read, and the modules that "
                 "called them as frames");
  app.add_option("--depth", setting->depth, "levels of modules, in the table and the picture")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  app.add_option("--rows", setting->rows, "rows of tables")->capture_default_str();
  return [setting] { return or_report("inspect", [&] { return inspect_model(*setting); }); };
}

const AddCommand inspect_command("inspect", "Show what is in a model exported by PyTorch (.pt2)",
                                 declare);

}  // namespace
}  // namespace vitro::cli
