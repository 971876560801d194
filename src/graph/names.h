// Which names a graph's text can hold without being read as something else.
#pragma once

#include <string>
#include <string_view>

namespace vitro::graph {

// Letters, digits, '_' and '.', no digit first; no word of the format, no name of a size symbol
// ("s0", "u3").
bool is_writable_name(std::string_view name);

// The name itself, or the nearest one that can be written.
std::string writable_name(std::string_view name);

}  // namespace vitro::graph
