// The interpreter that runs ops immediately.
#pragma once

namespace vitro::eager {

// Registers the interpreter for all kinds of device (core/interpreter.h).  Idempotent and
// thread-safe.
void init();

}  // namespace vitro::eager
