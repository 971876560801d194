// Formats the report of a compiled function as text: graphs, kernels, breaks, recompiles, guards,
// advice; explain.h is its interface.
#include "vitro/debug/explain.h"

#include <algorithm>
#include <map>
#include <ostream>

#include "vitro/base/cat.h"
#include "vitro/base/counted.h"
#include "vitro/report/units.h"

namespace vitro {
namespace {

std::string duration(int64_t ns) {
  return report::time_text(static_cast<double>(ns));
}

size_t ops_of(const graph::Graph& g) {
  return g.size() - g.inputs().size();
}

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
  std::string out;
  for (const std::string& part : parts) out += cat(out.empty() ? "" : between, part);
  return out;
}

std::string indented(std::string_view text, std::string_view by) {
  std::string out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    out += cat(by, text.substr(0, end));
    text.remove_prefix(end);
  }
  return out;
}

// "3 mm, 2 relu": the number of each op in the graph, in order of first use.
std::string census(const graph::Graph& g) {
  std::vector<std::pair<std::string_view, uint64_t>> counts;
  for (const graph::Node& node : g.nodes()) {
    if (node.is_input()) continue;
    const auto found = std::find_if(counts.begin(), counts.end(),
                                    [&](const auto& c) { return c.first == node.op->name; });
    if (found == counts.end()) {
      counts.emplace_back(node.op->name, 1);
    } else {
      ++found->second;
    }
  }
  std::string out;
  for (const auto& [name, n] : counts) out += cat(out.empty() ? "" : ", ", n, ' ', name);
  return out;
}

void append_launch(std::string& out, const KernelReport& kernel, const LaunchReport& launch) {
  out += cat("    ", kernel.name, ": ", joined(launch.ops, ", "));
  if (!launch.locations.empty()) out += cat("  # ", joined(launch.locations, ", "));
  out += '\n';
  if (!kernel.reason.empty()) out += cat("      because ", kernel.reason, '\n');
  if (!kernel.schedule.empty()) out += cat("      loops: ", kernel.schedule, '\n');
  if (launch.joins) out += "      runs with the one before it, as one\n";
  if (!kernel.bytes.empty())
    out += cat("      bytes ", kernel.bytes, ", flops ", kernel.flops,
               launch.once ? "; once per parameter\n" : "\n");
}

void append_fusion(std::string& out, const FusionReport& decision) {
  const Verdict& verdict = decision.verdict;
  out += cat("    ", decision.producer, " + ", decision.consumer, ": ", verdict.ok ? "yes" : "no");
  if (verdict.code) out += cat(" (", *verdict.code, ')');
  if (!verdict.why.empty()) out += cat(", ", verdict.why);
  out += '\n';
}

void append_build(std::string& out, const BuildReport& build, bool with_source) {
  if (!build.launches.empty()) out += "  kernels\n";
  for (const LaunchReport& launch : build.launches)
    append_launch(out, build.kernel_of(launch), launch);
  if (!build.fusion.empty()) out += "  fused, or not\n";
  for (const FusionReport& decision : build.fusion) append_fusion(out, decision);
  if (build.temporaries_bytes > 0) {
    out += cat("  temporaries: ", report::bytes_text(static_cast<double>(build.arena_bytes)),
               " in one arena, ", report::bytes_text(static_cast<double>(build.temporaries_bytes)),
               " if each had its own memory\n");
  }
  std::vector<std::string> stages;
  for (const StageReport& stage : build.stages)
    stages.push_back(cat(stage.name, ' ', duration(stage.ns)));
  if (!stages.empty())
    out += cat("  time: ", joined(stages, ", "),
               build.from_plan    ? " (plan and kernels from the cache)"
               : build.from_cache ? " (kernels from the cache)"
                                  : "",
               '\n');
  if (!build.plan_refused.empty())
    out += cat("  the plan that was kept could not be used: ", build.plan_refused, '\n');
  for (const graph::PassReport& pass : build.passes) {
    if (pass.changed)
      out += cat("    ", pass.name, ": ", pass.nodes_before, " -> ", pass.nodes_after, " nodes",
                 build.from_plan ? "" : cat(", ", duration(pass.ns)), '\n');
  }
  if (with_source && !build.kernels.empty())
    out += cat("  source\n", indented(build.source(), "    "));
}

// The outcome of a segment, on one line.
void append_state(std::string& out, const SegmentReport& segment) {
  out += cat("  ", segment.name, ": ", counted(ops_of(segment.graph), "op"));
  if (segment.compiled) {
    out += cat(", ", counted(static_cast<uint64_t>(segment.kernels), "kernel"), ", compiled in ",
               duration(segment.compile_ns));
  } else {
    out += ", runs op by op";
    if (!segment.why_not.empty()) out += cat(": ", segment.why_not);
  }
  out += cat("; ran ", counted(segment.runs, "time"));
  if (segment.runs > 0)
    out += cat(", ", duration(segment.run_ns / static_cast<int64_t>(segment.runs)), " each");
  out += '\n';
}

void append_guards(std::string& out, const std::vector<GuardReport>& guards) {
  if (!guards.empty()) out += "  guards\n";
  uint64_t counts = 0;
  for (const GuardReport& guard : guards) {
    counts += guard.counts_only;
    if (guard.counts_only) continue;
    out += cat("    ", guard.text, guard.asked.empty() ? "" : cat(" (", guard.asked, ")"), '\n');
  }
  if (counts > 0) out += cat("    that sizes do not overflow: ", counted(counts, "guard"), '\n');
}

void append_segment(std::string& out, const SegmentReport& segment, bool with_source) {
  out += cat("\ngraph ", segment.name);
  if (!segment.region.empty()) out += cat(", in tables and traces ", segment.region);
  out += '\n';
  if (ops_of(segment.graph) > 0) out += cat("  ops: ", census(segment.graph), '\n');
  if (segment.graph.size() > 0) out += indented(graph::print(segment.graph), "  ");
  append_guards(out, segment.guards);
  if (!segment.computed_again.empty()) {
    out += cat("  for gradients: ", report::bytes_text(static_cast<double>(segment.kept_bytes)),
               " are kept instead of ",
               report::bytes_text(static_cast<double>(segment.kept_bytes_without)),
               ", by the sizes of the recorded call; computed again: ",
               joined(segment.computed_again, ", "), '\n');
  }
  if (segment.build) append_build(out, *segment.build, with_source);
}

void append_findings(std::string& out, std::string_view title,
                     const std::vector<Diagnostic>& findings) {
  if (findings.empty()) return;
  out += cat('\n', title, '\n');
  for (const Diagnostic& diagnostic : findings) {
    out += cat("  ", diagnostic.code ? diagnostic.code->id : "",
               diagnostic.location.empty() ? "" : " ", diagnostic.location, ": ", diagnostic.reason,
               " (", counted(diagnostic.count, "time"), ")\n");
  }
}

// Advice for each code that occurred, once.
void append_advice(std::string& out, const CompiledReport& report) {
  std::map<std::string_view, const Code*> codes;
  for (const auto* list : {&report.breaks, &report.recompiles, &report.fallbacks}) {
    for (const Diagnostic& diagnostic : *list) {
      if (diagnostic.code) codes.emplace(diagnostic.code->id, diagnostic.code);
    }
  }
  if (codes.empty()) return;
  out += "\nwhat to do\n";
  for (const auto& [id, code] : codes) out += cat("  ", id, ": ", code->advice, '\n');
}

std::string summary_of(const CompiledReport& report) {
  std::string out =
      cat(report.name, " (", report.backend, "): ", counted(report.calls, "call"), ", ",
          counted(report.segments.size(), "graph"), ", ",
          counted(report.ops_recorded, "recorded op"), ", ", counted(report.breaks.size(), "break"),
          ", ", counted(report.recompiles.size(), "recompile"), ", ",
          counted(report.fallbacks.size(), "fallback"), '\n');
  for (const SegmentReport& segment : report.segments) append_state(out, segment);
  append_findings(out, "breaks", report.breaks);
  append_findings(out, "recompiles", report.recompiles);
  append_findings(out, "fallbacks", report.fallbacks);
  append_advice(out, report);
  return out;
}

std::string text_of(const CompiledReport& report, bool with_source) {
  std::string out = summary_of(report);
  for (const SegmentReport& segment : report.segments) append_segment(out, segment, with_source);
  if (report.backward) out += cat("\n", text_of(*report.backward, with_source));
  return out;
}

}  // namespace

size_t Explanation::ops() const {
  size_t n = 0;
  for (const SegmentReport& segment : report.segments) n += ops_of(segment.graph);
  return n;
}

size_t Explanation::kernels() const {
  size_t n = 0;
  for (const SegmentReport& segment : report.segments) n += static_cast<size_t>(segment.kernels);
  return n;
}

size_t Explanation::breaks() const {
  return report.breaks.size();
}

std::string Explanation::summary() const {
  return summary_of(report);
}

std::string Explanation::text(bool with_source) const {
  std::string out = text_of(report, with_source);
  if (!times.entries().empty()) out += cat("\ncompile time\n", indented(times.table(), "  "));
  return out;
}

std::string explain(const CompiledReport& report) {
  return text_of(report, false);
}

std::ostream& operator<<(std::ostream& out, const CompiledReport& report) {
  return out << explain(report);
}

std::ostream& operator<<(std::ostream& out, const Explanation& explanation) {
  return out << explanation.text();
}

}  // namespace vitro
