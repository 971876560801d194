// Repairs events that some writers leave invalid.
#pragma once

#include <string>
#include <string_view>

namespace vitro::analyze {

// The text with invalid parts replaced: control characters by spaces, NaN and infinities by null,
// bytes that are not UTF-8 by '?'.
std::string mended(std::string_view text);

}  // namespace vitro::analyze
