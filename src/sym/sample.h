// Finds out quickly that something cannot be proven: by an example.
#pragma once

#include "vitro/sym/expr.h"

namespace vitro::sym {

// True when e < 0 for some values of its symbols that their ranges allow.  Tries a few.
bool somewhere_negative(Expr e);

}  // namespace vitro::sym
