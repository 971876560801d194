// Unique names in generated code, taken from the program if they are free.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

namespace vitro::backend {

class Names {
 public:
  // Returns a new name: the letters, digits and _ of `wanted`, followed by a number if taken.
  std::string take(std::string_view wanted);

 private:
  std::unordered_set<std::string> taken_;  // besides the reserved names
};

// The last component of a dotted name, without a trailing number: "layers.3.fc.weight" gives
// "weight", "mm_7" gives "mm".
std::string short_name(std::string_view name);

}  // namespace vitro::backend
