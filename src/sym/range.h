// Interval arithmetic on ranges; ends that do not fit into 64 bits become unbounded.
#pragma once

#include "vitro/sym/expr.h"

namespace vitro::sym {

Range operator+(Range a, Range b);
Range operator*(Range a, Range b);
Range range_of_atom(Kind kind, Range a, Range b);  // floordiv, mod, min, max

}  // namespace vitro::sym
