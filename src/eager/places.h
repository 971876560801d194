// Where the kernels of an op stand in the table.
#pragma once

#include "vitro/core/op.h"

namespace vitro::eager {

int place_of(const OpDef& op);  // in the list of its kind

}  // namespace vitro::eager
