// First pass of make_plan: turns a path of calls that read and write memory into a graph of values
// (PyTorch: functionalization).
//
//   y = slice(x, 0, 0, 2)        a view: evaluated when read, on the memory's value at that point
//   add_(y, 1)                   value of y = add(slice(x), 1)
//                                value of x = slice_scatter(x, value of y)
//   z = exp(x)                   exp(the new value of x)
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "capture/plan.h"
#include "capture/recorded_path.h"

namespace vitro::capture {

// Thrown if the path cannot be expressed as values.
struct Refused {
  const Code* code;
  std::string why;
};

// The whole path as a graph, and the memories at its end.
struct Functional {
  struct Memory {
    std::optional<graph::Value> value;  // none: not read or written yet
    uint32_t version = 0;               // counts writes
    int input = -1;                     // index in `inputs`; -1: not an input
  };
  graph::Graph graph;
  std::vector<Plan::Input> inputs;  // of the graph, in order
  std::vector<Memory> memories;     // see RecordedPath; every written external memory has an input
};

// Adds to `coverings` the overlap checks of written windows, even if the path is refused.
Functional functionalize(const RecordedPath& path, const ValueOf& value_of,
                         std::vector<Covering>* coverings);

bool is_sized_by_data(const TensorMeta& meta);

}  // namespace vitro::capture
