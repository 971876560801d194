// The sizes that slices were given, as numbers that are equal where the sizes are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace vitro {

// The sizes among values (events/values.h), as PyTorch's tables write them: "[[4, 4], []]", a list
// for each value, empty for what is no tensor.
std::string shapes_text(std::span<const std::byte> inputs);

class ShapeNumbers {
 public:
  // From 1 on; 0 where there are no inputs.  The bytes stay where they are while this lives.
  uint32_t number(std::span<const std::byte> inputs);
  const std::string& text(uint32_t number) const { return texts_[number - 1]; }

 private:
  std::unordered_map<std::string_view, uint32_t> by_bytes_;  // what was read already
  std::unordered_map<std::string, uint32_t> by_text_;
  std::vector<std::string> texts_;
};

}  // namespace vitro
