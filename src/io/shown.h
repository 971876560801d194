// Names of files' entries and tensors, as messages show them.
#pragma once

#include <string>
#include <string_view>

namespace vitro::io {

// Quoted, printable, shortened: names come from files that may be hostile.
std::string shown(std::string_view name);

}  // namespace vitro::io
