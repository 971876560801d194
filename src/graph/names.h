// Names that graph text can hold unambiguously.
#pragma once

#include <string>
#include <string_view>

namespace vitro::graph {

// Letters, digits, '_' and '.', starting with a letter or '_'; not a keyword of the format nor the
// name of a size symbol ("s0", "u3").
bool is_writable_name(std::string_view name);

// The name itself, or a similar one that is writable.
std::string writable_name(std::string_view name);

}  // namespace vitro::graph
