#include "io/shown.h"

namespace vitro::io {

std::string shown(std::string_view name) {
  constexpr size_t longest = 80;
  std::string text = "\"";
  for (char c : name.substr(0, longest)) text += c >= ' ' && c <= '~' ? c : '?';
  return text + (name.size() > longest ? "...\"" : "\"");
}

}  // namespace vitro::io
