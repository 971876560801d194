// First pass of make_plan: a path of calls that read and write memory becomes a graph of values
// (PyTorch: functionalization).
//
//   y = slice(x, 0, 0, 2)        a view: looked up when it is read, in the value of its memory then
//   add_(y, 1)                   value of y = add(slice(x), 1);  value of x = slice_scatter(x,
//   that) z = exp(x)                   exp(the new value of x)
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "capture/plan.h"
#include "capture/recorded_path.h"

namespace vitro::capture {

// Thrown: what cannot be said in values.
struct Refused {
  const Code* code;
  std::string why;
};

// All of the path, and the memories at its end.
struct Functional {
  struct Memory {
    std::optional<graph::Value> value;  // none: nobody has read or written it
    uint32_t version = 0;               // counts writes
    int input = -1;                     // among `inputs`; -1: it is none
  };
  graph::Graph graph;
  std::vector<Plan::Input> inputs;  // of the graph, in order
  std::vector<Memory> memories;     // see RecordedPath; one that is written has an input
};

// `coverings` gets what was asked of windows that are written, also where the path is refused.
Functional functionalize(const RecordedPath& path, const ValueOf& value_of,
                         std::vector<Covering>* coverings);

bool is_sized_by_data(const TensorMeta& meta);

}  // namespace vitro::capture
