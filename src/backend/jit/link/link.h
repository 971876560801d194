// Object files to one shared object, in memory: no file, no process, no signal handler is touched.
//   Result<std::string> object = link(objects);
// For what Clang makes of kernels: position-independent code of the small code model for x86-64 or
// AArch64, without constructors and variables of threads; anything else is a failure that names it.
// Functions that no object defines are looked up in the process when the module is loaded.
// Thread safety: any threads at once.
#pragma once

#include <span>
#include <string>

#include "vitro/base/result.h"

namespace vitro::jit {

Result<std::string> link(std::span<const std::string> objects);

}  // namespace vitro::jit
