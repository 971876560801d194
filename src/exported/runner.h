// Runs a plan by calling its ops by name, with whichever interpreter is there: eager, or the
// capture of a compiled function.
#pragma once

#include <vector>

#include "exported/plan.h"

namespace vitro::exported {

// One value for each output of the graph.  `inputs`: one for each input, of which literals are
// ignored.  Errors: of ops, with the place in the program's source and the module.
std::vector<ArgValue> run(const Plan& plan, std::vector<ArgValue> inputs);

}  // namespace vitro::exported
