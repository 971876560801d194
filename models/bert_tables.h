// How BERT's reference tokenizer treats each code point: ascending ranges, both ends included.
#pragma once

#include <cstdint>
#include <span>

namespace vitro::models::bert {

struct Range {
  uint32_t first, last;
};

extern const std::span<const Range> removed;      // control and format characters, U+FFFD
extern const std::span<const Range> spaces;       // become one space
extern const std::span<const Range> ideographs;   // separate words
extern const std::span<const Range> marks;        // dropped after canonical decomposition
extern const std::span<const Range> punctuation;  // separate words, applied after decomposition

}  // namespace vitro::models::bert
