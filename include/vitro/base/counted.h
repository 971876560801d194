// How many of a thing, in words: counted(1, "call") == "1 call", counted(3, "launch") == "3
// launches".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vitro {

// `thing` is one of them; its plural is a regular one.
std::string counted(uint64_t n, std::string_view thing);

}  // namespace vitro
