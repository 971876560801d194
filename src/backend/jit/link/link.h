// Links object files into one shared object in memory, without files, processes or signal handlers.
//   Result<std::string> object = link(objects);
// Supports Clang's output for kernels: position-independent code of the small code model for x86-64
// or AArch64, without constructors and thread-local variables; anything else is a failure that
// names it.
// Functions that no object defines are looked up in the process when the module is loaded.
// Thread safety: may be called from any thread.
#pragma once

#include <span>
#include <string>

#include "vitro/base/result.h"

namespace vitro::jit {

Result<std::string> link(std::span<const std::string> objects);

}  // namespace vitro::jit
