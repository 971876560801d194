// Devices: where the memory of a tensor is and its ops run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace vitro {

struct Device {
  enum class Kind : uint8_t { cpu, cuda, plugin } kind = Kind::cpu;
  uint8_t index = 0;
  bool operator==(const Device&) const = default;
};
inline constexpr int device_kind_count = 3;
inline constexpr Device cpu{};

// The index of a device in tables of devices: less than device_slots.
inline constexpr size_t device_slots = device_kind_count * size_t{256};
constexpr size_t slot_of(Device device) {
  return static_cast<size_t>(device.kind) * 256 + device.index;
}

void append_to(std::string& out, Device device);  // "cpu", "cuda:1"
// The inverse; "cuda" is "cuda:0".  nullopt if `text` is not a device.
std::optional<Device> device_named(std::string_view text);

}  // namespace vitro
