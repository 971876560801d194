// A std::source_location for a place outside of C++: a line of the Python program that a model file
// was exported from.
//   const std::source_location where = given_location("/m/bert.py", 12, "forward");
//   file_and_line(where) == "bert.py:12"
// The texts are interned and never freed.  Threads: any.
#pragma once

#include <cstdint>
#include <source_location>
#include <string_view>

namespace vitro {

std::source_location given_location(std::string_view file, uint32_t line,
                                    std::string_view function);

}  // namespace vitro
