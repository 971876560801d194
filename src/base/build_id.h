// Tells builds of this library apart, for what is kept on disk and depends on its code.
#pragma once

#include <string>

namespace vitro {

// The linker's build id of the library (or program) that contains this code, as hexadecimal digits;
// empty if it was linked without one.  Any thread.
std::string build_id();

}  // namespace vitro
