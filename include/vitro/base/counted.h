// A count with its noun: counted(1, "call") == "1 call", counted(3, "launch") == "3 launches".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vitro {

// `thing` is a singular with a regular plural.
std::string counted(uint64_t n, std::string_view thing);

}  // namespace vitro
