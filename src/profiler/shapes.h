// Numbers for the input sizes of slices, equal if the sizes are equal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace vitro {

// The sizes of values (events/values.h) in the format of PyTorch's tables: "[[4, 4], []]", a list
// for each value, empty for anything but tensors.
std::string shapes_text(std::span<const std::byte> inputs);

class ShapeNumbers {
 public:
  // From 1 on; 0 without inputs.  The bytes must stay valid for the lifetime of this.
  uint32_t number(std::span<const std::byte> inputs);
  const std::string& text(uint32_t number) const { return texts_[number - 1]; }

 private:
  std::unordered_map<std::string_view, uint32_t> by_bytes_;  // sizes read already
  std::unordered_map<std::string, uint32_t> by_text_;
  std::vector<std::string> texts_;
};

}  // namespace vitro
