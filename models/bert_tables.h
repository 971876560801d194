// What BERT's reference tokenizer does with each code point: ascending ranges, both ends included.
#pragma once

#include <cstdint>
#include <span>

namespace vitro::models::bert {

struct Range {
  uint32_t first, last;
};

extern const std::span<const Range> removed;      // control and format characters, U+FFFD
extern const std::span<const Range> spaces;       // become one space
extern const std::span<const Range> ideographs;   // words of their own
extern const std::span<const Range> marks;        // dropped after canonical decomposition
extern const std::span<const Range> punctuation;  // words of their own, seen after decomposition

}  // namespace vitro::models::bert
