// Wires the parts together: who runs eager ops, where CPU memory comes from, who compiles segments.
#pragma once

namespace vitro {

// Done when the library is loaded; calling it again does nothing.  A program that links the parts
// statically calls it first.
void init();

}  // namespace vitro
