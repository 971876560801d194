// The key of a captured graph, and the bytes of what it was compiled to.
#include "compile/kept_segment.h"

#include <algorithm>

#include "backend/compile.h"
#include "backend/jit/cache.h"
#include "backend/jit/entry_source.h"
#include "backend/run/plan_bytes.h"
#include "graph/hash.h"
#include "graph/metas.h"
#include "vitro/base/cat.h"
#include "vitro/compile/artifacts.h"
#include "vitro/ops/all.h"

namespace vitro::pipeline {
namespace {

constexpr uint64_t format = 1;  // of the bytes

// The definition of an op of that name that has a kernel: one that the graph calls, or Vitro's own.
const OpDef* opaque_op(const graph::Graph& graph, std::string_view name) {
  for (const graph::Node& node : graph.nodes())
    if (!node.is_input() && node.op->opaque && node.op->name == name) return node.op;
  return ops::named(name);
}

// What a user's op decomposes to, or computes, is not in the graph; of an opaque one the kernel is
// called as it is then.
bool has_ops_of_users(const graph::Graph& graph) {
  return std::ranges::any_of(graph.nodes(), [&](const graph::Node& node) {
    if (node.is_input() || node.op == ops::named(node.op->name)) return false;
    return !node.op->opaque || opaque_op(graph, node.op->name) != node.op;
  });
}

Hash key_on_disk(const graph::Graph& captured, const Hash& in_files) {
  runtime::DeviceRuntime& device = runtime::device_runtime(backend::device_of(captured));
  Hasher h;
  h.add(in_files);
  h.add(backend::target_key(backend::machine_model_of(device.traits()), jit::host_target()));
  return h.finish();
}

std::unique_ptr<CompiledGraph> graph_to_fill(const std::string& text) {
  if (text.empty()) return std::make_unique<CompiledGraph>(graph::Graph());
  auto graph = graph::parse(text);
  if (!graph) backend::PlanReader::fail("a graph");
  return std::make_unique<CompiledGraph>(*std::move(graph));
}

// Guards are for the numbers of the run in which the graph was captured.
void check_guards(std::span<const sym::Guard> guards, const graph::Graph& captured) {
  const graph::SymbolValues values(captured);
  for (const sym::Guard& guard : guards)
    if (!guard.holds([&](sym::Expr symbol) { return values(symbol); }))
      throw backend::PlanReader::Broken(cat("it is for other sizes, ", guard.text()));
}

void add_memory(backend::Executable& part, BuildReport& report) {
  if (!part.plan().symbols.empty()) return;
  const backend::Executable::Memory memory = part.memory({});
  report.arena_bytes = std::max(report.arena_bytes, memory.arena);
  report.temporaries_bytes += memory.temporaries;
}

void read_parts(backend::PlanReader& in, const graph::Graph& captured, const std::string& name,
                SegmentParts& parts) {
  uint64_t version = 0;
  std::string text;
  in(version, text);
  if (version != format) in.fail("the format");
  parts.compiled = graph_to_fill(text);
  in(parts.guards, parts.report);
  check_guards(parts.guards, captured);
  runtime::DeviceRuntime& device = runtime::device_runtime(backend::device_of(captured));
  if (in.count() != parts.compiled->graphs().size()) in.fail("the number of parts");
  for (size_t i = 0; i < parts.compiled->graphs().size(); ++i) {
    bool is_there = false;
    in(is_there);
    if (!is_there) {
      parts.compiled->add(nullptr);
      continue;
    }
    std::vector<std::string> modules;
    in(modules);
    auto made =
        backend::load(backend::read_plan(in, modules.size()), modules, device, name, nullptr);
    if (!made) throw backend::PlanReader::Broken(made.why());
    add_memory(**made, parts.report);
    parts.compiled->add(*std::move(made));
  }
  if (!in.at_end()) in.fail("the end");
}

}  // namespace

std::optional<Hash> key_in_files(const graph::Graph& captured, bool exact) {
  if (has_ops_of_users(captured)) return std::nullopt;
  backend::BuildOptions options;
  options.fuse.fuse = backend::fuse_option.get();
  options.exact = exact;
  const std::optional<Hash> build = backend::build_key(options);
  if (!build) return std::nullopt;
  Hasher h;
  h.add(format);
  h.add(*build);
  h.add(graph::hash_of_all(captured));
  return h.finish();
}

std::optional<std::string> bytes_of(const graph::Graph* graph, std::span<const sym::Guard> guards,
                                    const BuildReport& report, std::span<const PlannedPart> parts) {
  backend::PlanWriter out;
  out(format, graph ? graph::print(*graph) : std::string());
  out(std::vector<sym::Guard>(guards.begin(), guards.end()), report);
  out.add(parts.size());
  for (const PlannedPart& part : parts) {
    out.add(part.plan != nullptr);
    if (part.plan) out(part.modules, *part.plan);
  }
  if (!out.why().empty()) return std::nullopt;
  return out.take();
}

KeptSegments::KeptSegments(const graph::Graph& captured, bool exact) : captured_(captured) {
  const bool has_disk = jit::has_disk_cache();
  if (artifacts::wanted() || (!has_disk && !jit::has_entry_sources())) return;
  in_files_ = key_in_files(captured, exact);
  if (in_files_ && has_disk) on_disk_ = key_on_disk(captured, *in_files_);
}

bool KeptSegments::read(std::string_view bytes, const std::string& name,
                        SegmentParts& parts) const {
  try {
    SegmentParts found;
    backend::PlanReader in(bytes, [this](std::string_view op) { return opaque_op(captured_, op); });
    read_parts(in, captured_, name, found);
    parts = std::move(found);
    parts.report.from_cache = parts.report.from_plan = true;
    return true;
  } catch (const std::exception& e) {
    parts.report.plan_refused = e.what();
    return false;
  }
}

bool KeptSegments::find(const std::string& name, SegmentParts& parts) const {
  if (!in_files_) return false;
  const auto bytes = jit::find_entry(in_files_->hex(), jit::EntryKind::plan);
  if (bytes && read(*bytes, name, parts)) return true;
  if (!on_disk_) return false;
  std::string why;
  const jit::DiskCache cache = jit::DiskCache::open(why);
  jit::CacheEntry entry;
  return cache.find(on_disk_->hex(), entry, jit::EntryKind::plan) && read(entry.bytes, name, parts);
}

void KeptSegments::keep(const SegmentParts& made) const {
  if (!on_disk_) return;
  std::vector<PlannedPart> parts;
  for (const auto& part : made.compiled->made())
    parts.push_back(part ? PlannedPart{&part->plan(), part->module_keys()} : PlannedPart());
  const auto bytes = bytes_of(made.compiled->graph(), made.guards, made.report, parts);
  if (!bytes) return;
  std::string why;
  const jit::DiskCache cache = jit::DiskCache::open(why);
  jit::CacheEntry entry;
  if (cache.ok()) cache.store(on_disk_->hex(), *bytes, entry, why, jit::EntryKind::plan);
}

}  // namespace vitro::pipeline
