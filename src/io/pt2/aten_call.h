// The call of a graph's node as ATen has it: its overload, and its arguments by the names of the
// schema.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/arguments.h"
#include "vitro/graph/graph.h"

namespace vitro::io {

struct AtenCall {
  std::string target;  // "torch.ops.aten.add.Tensor"
  const Schema* schema = nullptr;
  std::vector<graph::GivenArgument> arguments;  // in the order of the schema
};

// Nothing if ATen has no such op, or none that takes these operands.
std::optional<AtenCall> aten_call(const graph::Graph& g, const graph::Node& node);

}  // namespace vitro::io
