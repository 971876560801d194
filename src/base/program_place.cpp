#include "base/program_place.h"

#include <string_view>

#include "vitro/base/function_name.h"

namespace vitro {
namespace {

// The folder of the sources as the compiler was given it, "../../src/"; it may be relative, and a
// program's own sources may be in a folder of that name.
constexpr std::string_view own_sources() {
  constexpr std::string_view this_file = __FILE__, below = "base/program_place.cpp";
  static_assert(this_file.ends_with(below));
  return this_file.substr(0, this_file.size() - below.size());
}
constexpr std::string_view own_headers = "include/vitro/";

}  // namespace

std::source_location program_place(std::source_location where) {
  const std::string_view file = where.file_name();
  if (!file.starts_with(own_sources()) && file.find(own_headers) == file.npos) return where;
  return function_name(where.function_name()).starts_with("vitro::") ? std::source_location()
                                                                     : where;
}

}  // namespace vitro
