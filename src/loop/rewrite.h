// Values made anew with parts exchanged.
#pragma once

#include <unordered_map>

#include "loop/kernel.h"

namespace vitro::loop {

// `v` with each node that is a key replaced by its value.  The map also remembers what was made:
// keep it for the next call.
Value replace(Value v, std::unordered_map<const Node*, Value>& with);
// All values of the statements.
void replace(Block& block, std::unordered_map<const Node*, Value>& with);

}  // namespace vitro::loop
