// Where a tensor lives.
#pragma once

#include <cstdint>
#include <string>

namespace vitro {

struct Device {
  enum class Kind : uint8_t { cpu, cuda, plugin } kind = Kind::cpu;
  uint8_t index = 0;
  bool operator==(const Device&) const = default;
};
inline constexpr int device_kind_count = 3;
inline constexpr Device cpu{};

void append_to(std::string& out, Device device);  // "cpu", "cuda:1"

}  // namespace vitro
