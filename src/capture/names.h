// Names of functions that the program has not compiled itself.
#pragma once

#include <string_view>

namespace vitro::capture {

// Of the functions that eager compiles (compile/regions.h).  No warning says that a part of one
// runs op by op: the program cannot change that.
inline constexpr std::string_view eager_prefix = "eager.";

}  // namespace vitro::capture
