// Runs ops on CPU tensors at once.
#pragma once

namespace vitro::eager {

// Registers itself for the CPU (core/interpreter.h).  Once or more, from any thread.
void init();

}  // namespace vitro::eager
