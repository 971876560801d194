// What the nodes of a program are, and which reads what another one defines.
#pragma once

#include <vector>

#include "exported/loaded.h"
#include "exported/plan.h"
#include "vitro/exported/model.h"

namespace vitro::exported {

// Those of sub-graphs after the node that runs them.
std::vector<ModelNode> nodes_of(const Plan& plan);

ModelGraph graph_of(const Loaded& loaded);

}  // namespace vitro::exported
