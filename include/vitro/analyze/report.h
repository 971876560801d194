// Answers to look at: a page, a flame graph.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/analyze/questions.h"
#include "vitro/report/flame.h"
#include "vitro/report/output.h"

namespace vitro::analyze {

// All analyses of a trace on one self-contained HTML page: findings first, the timeline, then each
// analysis with its plots and tables.
//   auto out = report::create_file("report.html");
//   write_report(index, "train.json.gz", *out);
//   out->finish();

// `name` is the title of the trace on the page.  The same trace gives the same bytes.
void write_report(const TraceIndex& index, std::string_view name, report::Output& out);

// Where the time of a trace went, by enclosing events: collapsed stacks and a flame graph.
//   const Flames flames = flames_of(index);
//   report::write_stacks(flames.nodes, out);
//   write_flame_graph(flames, "train.json.gz", out);

enum class FlamesOf : uint8_t {
  // Time of host threads, each moment attributed to the innermost event: ops, named ranges, Python
  // functions, runtime calls.  All steps are combined.
  host,
  // Time of kernels, copies and fills, each inside the call that launched it and the events around
  // that; inside its stream if the launch is not in the file.
  device,
};

// The names of nodes belong to the trace, which must outlive this.
struct Flames {
  Flames() = default;
  Flames(Flames&&) = default;
  Flames& operator=(Flames&&) = default;

  std::vector<report::FlameNode> nodes;  // nanoseconds; depth first
  std::vector<std::string> tracks;       // names of the nodes below the root
};
Flames flames_of(const TraceIndex& index, FlamesOf what = FlamesOf::host);

// Draws a flame graph (report/flame.h).
void write_flame_graph(const Flames& flames, std::string_view title, report::Output& out);

}  // namespace vitro::analyze
