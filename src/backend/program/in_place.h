// In-place scatters: if the result of a scatter over an input is written back to that input, the
// result aliases the input, and the scatter writes only its source.
#pragma once

#include <vector>

#include "backend/program/program.h"

namespace vitro::backend {

// By node: the input that the result of a scatter aliases, or the node itself.  Scatters may form a
// chain whose last result is written to the input, if nothing reads a state of the input that a
// later scatter has overwritten.  Inlining must have been decided.
std::vector<graph::NodeId> alias_targets_of(const Program& program);

// The index in the scatter's result of the element of its source at `at`.
Index inserted_at(const graph::Graph& graph, graph::NodeId scatter, const Index& at);

}  // namespace vitro::backend
