// Names in generated code: those of the program where they are free.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

namespace vitro::backend {

class Names {
 public:
  // A name that nothing has yet: letters, digits and _ of `wanted`; a number behind it if need be.
  std::string take(std::string_view wanted);

 private:
  std::unordered_set<std::string> taken_;  // beside what code or the prelude calls something else
};

// The last word of a dotted name, without a number behind it: "weight" of "layers.3.fc.weight",
// "mm" of "mm_7".
std::string short_name(std::string_view name);

}  // namespace vitro::backend
