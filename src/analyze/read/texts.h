// Numbers for texts, in the order in which they are first met.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace vitro::analyze {

class Texts {
 public:
  // The number of a text.  `fresh`: it was not there before.
  uint32_t number(std::string_view text, bool* fresh);
  size_t size() const { return texts_.size(); }

 private:
  struct Place {
    uint64_t hash = 0;
    uint32_t number = UINT32_MAX;
  };
  void grow();

  std::vector<Place> places_;      // a power of two of them, at most half taken
  std::deque<std::string> texts_;  // by number
};

}  // namespace vitro::analyze
