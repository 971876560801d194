// The part of verify that every pass relies on.
#pragma once

#include <string>

#include "vitro/graph/graph.h"

namespace vitro::graph {

// Empty, or which operand or output is a value that is not there where it is read.
std::string verify_values(const Graph& g);

}  // namespace vitro::graph
