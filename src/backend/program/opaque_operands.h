// Replaces views among the operands of users' kernels by copies, because these kernels read memory.
#pragma once

#include <optional>

#include "vitro/graph/graph.h"

namespace vitro::backend {

// The graph with no view as an operand of an opaque op; none if that already holds.
std::optional<graph::Graph> store_opaque_operands(const graph::Graph& graph);

}  // namespace vitro::backend
