// The words of a text as BERT sees them: lower case, without accents, split at spaces and around
// punctuation and ideographs.
//   bert_words("Déjà-vu 東京") is "deja", "-", "vu", "東", "京"
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vitro::models {

// Bytes that are not UTF-8 count as U+FFFD, which is dropped like a control character.
std::vector<std::string> bert_words(std::string_view text);

// How many code points valid UTF-8 text has.
size_t code_points(std::string_view text);

}  // namespace vitro::models
