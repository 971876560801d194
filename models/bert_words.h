// Splits a text into BERT's words: lower case, without accents, split at spaces and around
// punctuation and ideographs.
//   bert_words("Déjà-vu 東京") is "deja", "-", "vu", "東", "京"
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vitro::models {

// Invalid UTF-8 counts as U+FFFD, which is dropped like a control character.
std::vector<std::string> bert_words(std::string_view text);

// The number of code points in valid UTF-8 text.
size_t code_points(std::string_view text);

}  // namespace vitro::models
