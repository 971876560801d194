#include "io/shown.h"

#include <algorithm>
#include <cstdint>

#include "report/printable.h"
#include "vitro/base/cat.h"

namespace vitro::io {

std::string shown(std::string_view name) {
  constexpr size_t longest = 80;
  const auto continues = [&](size_t at) { return (static_cast<uint8_t>(name[at]) & 0xc0) == 0x80; };
  size_t end = std::min(name.size(), longest);
  while (end > 0 && end < name.size() && continues(end)) --end;
  return cat('"', report::printable(name.substr(0, end)), end < name.size() ? "...\"" : "\"");
}

}  // namespace vitro::io
