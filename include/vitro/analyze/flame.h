// Where the time of a trace went, by enclosing events: collapsed stacks and a flame graph.
//   const Flames flames = flames_of(trace);
//   report::write_stacks(flames.nodes, out);
//   write_flame_graph(flames, "train.json.gz", out);
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/analyze/trace.h"
#include "vitro/report/flame.h"

namespace vitro::analyze {

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
Flames flames_of(const Trace& trace, FlamesOf what = FlamesOf::host);

// Draws a flame graph (report/flame.h).
void write_flame_graph(const Flames& flames, std::string_view title, report::Output& out);

}  // namespace vitro::analyze
