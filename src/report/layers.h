// Places the vertices of a graph in layers, edges leading from each layer to the next one
// (Sugiyama, Tagawa, Toda: Methods for visual understanding of hierarchical system structures,
// 1981): their order in the layer, so that few edges cross, and their positions, so that edges are
// steep.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace vitro::report {

struct LayerVertex {
  uint32_t layer = 0;
  double width = 0;
  bool is_bend = false;  // of an edge that passes the layer; may be closer to others
  double x = 0;          // of its left side; place_vertices sets it, the least one is 0
};

struct LayerEdge {
  uint32_t from = 0, to = 0;          // of layers n and n + 1
  double from_port = 0, to_port = 0;  // from the left sides of the vertices
};

// Vertices of a layer do not overlap then.  Where nothing else decides, they keep their order.
void place_vertices(std::span<LayerVertex> vertices, std::span<const LayerEdge> edges);

}  // namespace vitro::report
