// Pictures of directed graphs as SVG: boxes, one layer below the other, and curves that lead down
// from box to box.  Boxes may be in groups, and groups in groups, which are frames around them.
//   report::Diagram diagram{.title = "model"};
//   diagram.nodes = {{.lines = {"x", "f32[8]"}}, {.lines = {"relu"}, .group = "encoder.0"}};
//   diagram.edges = {{0, 1, "x: f32[8]"}};
//   report::write_diagram(out, diagram);
// The same diagram has the same bytes every time.  Text may contain any bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vitro/report/output.h"

namespace vitro::report {

struct DiagramNode {
  enum class Shape : uint8_t { box, terminal };  // terminal: where the graph begins or ends
  std::vector<std::string> lines;                // the first one names it
  std::string tooltip = {};
  // "encoder.0": the frame "0" in the frame "encoder"; empty: outside of all.  Nodes of a group
  // that others stand between have frames of their own.  Each level takes some of the stack.
  std::string group = {};
  Shape shape = Shape::box;
};

struct DiagramEdge {
  uint32_t from = 0, to = 0;  // numbers of nodes
  std::string tooltip = {};   // edges from one node share their way, and show all of theirs
};

struct Diagram {
  std::string title = {};
  std::vector<DiagramNode> nodes = {};  // in an order in which every edge leads forwards
  std::vector<DiagramEdge> edges = {};
};

// Error: an edge does not lead forwards to a node.
void write_diagram(Output& out, const Diagram& diagram);

}  // namespace vitro::report
