// Compiled segments as bytes, kept by the graphs that they were compiled from: another process that
// captures the same graph runs no pass and no stage of the backend, and finds the modules by their
// keys.  They are kept on disk, or in a file that the program has loaded
// (backend/jit/entry_source.h).
//   const KeptSegments kept(captured, exact);
//   SegmentParts parts;
//   if (!kept.find(name, parts)) { ... compile ...; kept.keep(parts); }
// A segment is found only if everything that compiling it depends on is the same: the graph with
// its names, places and symbols, the options and the build of this library; on disk also the target
// and the machine, which those who load a file compare. Threads: any.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compile/compiled_graph.h"
#include "vitro/base/hash.h"
#include "vitro/graph/build_report.h"
#include "vitro/sym/size.h"

namespace vitro::pipeline {

// What a segment is made of.
struct SegmentParts {
  std::unique_ptr<CompiledGraph> compiled;
  BuildReport report;
  std::vector<sym::Guard> guards;
};

// One of its parts as data; without a plan if the part has no outputs.
struct PlannedPart {
  const backend::ExecutablePlan* plan = nullptr;
  std::vector<std::string> modules;  // keys
};

// Nothing if bytes cannot hold it.  `graph`: after the passes if it has data sizes, otherwise null.
std::optional<std::string> bytes_of(const graph::Graph* graph, std::span<const sym::Guard> guards,
                                    const BuildReport& report, std::span<const PlannedPart> parts);

// The key of a segment in files, of which a target has its own; nothing if it cannot be kept.
std::optional<Hash> key_in_files(const graph::Graph& captured, bool exact);

class KeptSegments {
 public:
  // `captured` must outlive it.
  KeptSegments(const graph::Graph& captured, bool exact);

  // False if there is none, or if one cannot be used, for which the report has the reason: a module
  // of it is gone, or it is for other sizes.
  bool find(const std::string& name, SegmentParts& parts) const;
  // Does nothing if the segment cannot be kept, or if there is no cache.
  void keep(const SegmentParts& parts) const;

 private:
  bool read(std::string_view bytes, const std::string& name, SegmentParts& parts) const;

  const graph::Graph& captured_;
  std::optional<Hash> in_files_, on_disk_;  // none: nothing is looked for there
};

}  // namespace vitro::pipeline
