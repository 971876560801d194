#include "vitro/core/device.h"

#include <charconv>

#include "vitro/base/cat.h"

namespace vitro {
namespace {

constexpr std::string_view names[device_kind_count] = {"cpu", "cuda", "plugin"};

}  // namespace

void append_to(std::string& out, Device device) {
  out.append(names[static_cast<int>(device.kind)]);
  if (device.kind != Device::Kind::cpu) append_to(out, cat(':', device.index));
}

std::optional<Device> device_named(std::string_view text) {
  for (int kind = 0; kind < device_kind_count; ++kind) {
    if (!text.starts_with(names[kind])) continue;
    const std::string_view rest = text.substr(names[kind].size());
    Device out{static_cast<Device::Kind>(kind), 0};
    if (rest.empty()) return out;
    const char *begin = rest.data() + 1, *end = rest.data() + rest.size();
    const auto read = std::from_chars(begin, end, out.index);
    const bool exists = out.kind != Device::Kind::cpu || out.index == 0;  // there is one CPU
    if (rest[0] == ':' && read.ec == std::errc{} && read.ptr == end && exists) return out;
  }
  return std::nullopt;
}

}  // namespace vitro
