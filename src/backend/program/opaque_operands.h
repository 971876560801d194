// What kernels of users read lies in memory: views among their operands become copies.
#pragma once

#include <optional>

#include "vitro/graph/graph.h"

namespace vitro::backend {

// A graph in which no operand of an opaque op is a view; none where that holds already.
std::optional<graph::Graph> store_opaque_operands(const graph::Graph& graph);

}  // namespace vitro::backend
