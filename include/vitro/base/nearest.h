// The name that was meant: for messages about names that nobody knows.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace vitro {

// Of `known` the one that takes the fewest letters to change (put in, left out, replaced, or two
// neighbours swapped), the first of equals; empty where none is near.
std::string_view nearest(std::string_view word, std::span<const std::string> known);

}  // namespace vitro
