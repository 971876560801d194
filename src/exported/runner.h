// Runs a plan by calling its ops by name, with whichever interpreter is there: eager, or the
// capture of a compiled function.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "exported/plan.h"

namespace vitro::exported {

// Called after each step with the values of its graph, of which those of the step are there.  Of
// sub-graphs only regions, which run once, are observed.
using Observer =
    std::function<void(const Plan& plan, const Step& step, std::span<const ArgValue> values)>;

// One value for each output of the graph.  `inputs`: one for each input, of which literals are
// ignored.  Errors: of ops, with the place in the program's source and the module.
std::vector<ArgValue> run(const Plan& plan, std::vector<ArgValue> inputs,
                          const Observer& observer = {});

}  // namespace vitro::exported
