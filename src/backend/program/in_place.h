// Writes into a part of an input that copy nothing but that part: a scatter over an input, whose
// result this input receives, writes its source where the input lies.
#pragma once

#include <vector>

#include "backend/program/program.h"

namespace vitro::backend {

// By node: the input in whose memory the result of a scatter lies, any other node itself.  Scatters
// may lie one over the other, the last is what the input receives; nobody reads a state of the
// input that a later scatter has changed.  Of the program, what is inlined must be decided.
std::vector<graph::NodeId> homes_of(const Program& program);

// The index in its result of the element that a scatter takes from its source at `at`.
Index inserted_at(const graph::Graph& graph, graph::NodeId scatter, const Index& at);

}  // namespace vitro::backend
