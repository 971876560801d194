// Writes to a part of an input that copy nothing but that part: if an input receives the result of
// a scatter over it, the result aliases the input and the scatter writes its source there.
#pragma once

#include <vector>

#include "backend/program/program.h"

namespace vitro::backend {

// By node: the input that the result of a scatter aliases, any other node itself.  Scatters may
// form a chain, of which the input receives the last; no one reads a state of the input that a
// later scatter has changed.  The program must have decided what is inlined.
std::vector<graph::NodeId> alias_targets_of(const Program& program);

// The index in its result of the element that a scatter takes from its source at `at`.
Index inserted_at(const graph::Graph& graph, graph::NodeId scatter, const Index& at);

}  // namespace vitro::backend
