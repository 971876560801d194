// The version of Vitro.
//   vitro::version()   "0.1.0"
#pragma once
#include <string_view>

namespace vitro {

// The version of the linked library, MAJOR.MINOR.PATCH.  Any thread may call it.
std::string_view version();

}  // namespace vitro
