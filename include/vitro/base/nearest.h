// Finds the name that was probably meant, for messages about unknown names.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace vitro {

// For a word of three or more letters, the shortest name in `known` that begins with it, otherwise
// the shortest that contains it.  Otherwise the name with the fewest edits (insertion, deletion,
// substitution, swap of neighbours), at most one edit per three letters of the word, or a single
// one; the first of equals.  Empty if there is none.  Ignores case.
std::string_view nearest(std::string_view word, std::span<const std::string> known);

}  // namespace vitro
