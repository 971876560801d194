// Rewrites values with some of their nodes replaced.
#pragma once

#include <unordered_map>

#include "loop/kernel.h"

namespace vitro::loop {

// `v` with each node that is a key of `with` replaced by its value. The map also caches the
// results: keep it for the next call.
Value replace(Value v, std::unordered_map<const Node*, Value>& with);
// The same for all values of the statements.
void replace(Block& block, std::unordered_map<const Node*, Value>& with);

}  // namespace vitro::loop
