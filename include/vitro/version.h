// Which Vitro this is.
//   vitro::version()   "0.1.0"
#pragma once
#include <string_view>

namespace vitro {

// The version that the library was built as, MAJOR.MINOR.PATCH.  Any thread.
std::string_view version();

}  // namespace vitro
