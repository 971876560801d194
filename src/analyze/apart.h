// Long names in little room: kernels of C++ often differ only far behind their begin.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace vitro::analyze {

// Shortens texts to `width` columns of a terminal.  Of one that begins like another for longer than
// that, the middle is left out, so that it shows where they differ: "void
// at::native::ele…<lambda…".
void shorten_apart(std::vector<std::string>& texts, size_t width);

}  // namespace vitro::analyze
