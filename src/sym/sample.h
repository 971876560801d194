// Quickly refutes a property by an example, before a proof is attempted.
#pragma once

#include "vitro/sym/expr.h"

namespace vitro::sym {

// True if e < 0 for one of a few assignments within the ranges of its symbols.
bool somewhere_negative(Expr e);

}  // namespace vitro::sym
