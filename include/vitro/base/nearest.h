// The name that was meant: for messages about names that nobody knows.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace vitro {

// Of `known` the shortest that begins with the word, or else has it inside, where that has three
// letters; else the one that takes the fewest letters to change (put in, left out, replaced, or two
// neighbours swapped), one in three at most, the first of equals; empty where none is near.
// Capital letters are as good as small ones.
std::string_view nearest(std::string_view word, std::span<const std::string> known);

}  // namespace vitro
