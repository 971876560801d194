// Registers the implementations of eager ops, CPU memory and the compiler of segments.
#pragma once

namespace vitro {

// Called when the shared library is loaded; further calls do nothing.  A program that links Vitro
// statically must call it first.
void init();

}  // namespace vitro
