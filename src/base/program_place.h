// Places in the program, for messages: not those in the library's own source.
#pragma once

#include <source_location>

namespace vitro {

// `where`, or an unknown place (line 0) if it is in the library's own source or headers: there the
// library called itself without the place of the call in the program.
std::source_location program_place(std::source_location where);

}  // namespace vitro
