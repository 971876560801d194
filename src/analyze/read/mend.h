// Events that no parser takes as they stand, and some writer left so.
#pragma once

#include <string>
#include <string_view>

namespace vitro::analyze {

// The text with what no parser takes replaced: control characters by spaces, NaN and infinities
// by null, bytes that are no UTF-8 by '?'.
std::string mended(std::string_view text);

}  // namespace vitro::analyze
