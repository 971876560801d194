// Where the kernels of an op stand in the table.
#pragma once

#include "vitro/core/op.h"

namespace vitro::eager {

// In the list of its kind; -1: none was compiled ahead.
int place_of(const OpDef& op);

}  // namespace vitro::eager
