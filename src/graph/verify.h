// The part of verify that every pass relies on.
#pragma once

#include <string>

#include "vitro/graph/graph.h"

namespace vitro::graph {

// Empty, or the first operand or output whose value is not defined before its use.
std::string verify_values(const Graph& g);

}  // namespace vitro::graph
