// Positions of ops in the kernel table.
#pragma once

#include "vitro/core/op.h"

namespace vitro::eager {

// Returns the op's position in the list of its kind, or -1 if it has no kernel compiled ahead.
int place_of(const OpDef& op);

}  // namespace vitro::eager
