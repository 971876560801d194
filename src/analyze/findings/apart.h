// Long names in little space: C++ kernel names often differ only far from their start.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace vitro::analyze {

// Shortens texts to `width` terminal columns.  If a text shares a longer prefix with another, its
// middle is left out, so that the difference is visible: "void at::native::ele…<lambda…".
void shorten_apart(std::vector<std::string>& texts, size_t width);

}  // namespace vitro::analyze
