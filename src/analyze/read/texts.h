// Numbers texts in order of first appearance.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace vitro::analyze {

class Texts {
 public:
  // The number of a text.  `fresh`: it is new.
  uint32_t number(std::string_view text, bool* fresh) {
    // Traces repeat themselves: a text usually has the same successor as last time.
    if (last_ < followers_.size()) {
      const uint32_t likely = followers_[last_];
      if (texts_[likely] == text) {
        *fresh = false;
        return last_ = likely;
      }
    }
    return look_up(text, fresh);
  }
  size_t size() const { return texts_.size(); }

 private:
  struct Slot {
    uint64_t hash = 0;
    uint32_t number = UINT32_MAX;
  };
  uint32_t look_up(std::string_view text, bool* fresh);
  void grow();

  std::vector<Slot> slots_;              // a power of two, at most half full
  std::deque<std::string> owned_;        // by number; a deque does not move them
  std::vector<std::string_view> texts_;  // the same
  std::vector<uint32_t> followers_;      // by number: its successor last time
  uint32_t last_ = UINT32_MAX;
};

}  // namespace vitro::analyze
