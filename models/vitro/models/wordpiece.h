// Turns text into BERT's token ids.
//   auto tokenizer = models::WordPiece::read("vocab.txt");
//   if (!tokenizer) return tokenizer.failure();
//   std::vector<int64_t> ids = tokenizer->encode("Where is the bug?");   // [CLS] where is ...
//   [SEP]
// The ids equal those of the reference tokenizer of uncased BERT models, for every text.
// Threads: any number may encode at the same time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "vitro/base/result.h"

namespace vitro::models {

class WordPiece {
 public:
  // One token per line, numbered from 0; [UNK], [CLS] and [SEP] must be among them.
  static Result<WordPiece> read(const std::string& vocabulary);

  // Starts with [CLS] and ends with [SEP], which count towards `max_tokens` (at least 2); the rest
  // is cut off.  Names of special tokens in the text ("[MASK]") become these tokens.  Invalid UTF-8
  // is skipped.
  std::vector<int64_t> encode(std::string_view text, size_t max_tokens = 256) const;

  size_t size() const { return tokens_.size(); }
  const std::string& token(int64_t id) const { return tokens_.at(static_cast<size_t>(id)); }

 private:
  struct TextHash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  struct Special {
    std::string name;
    int64_t id;
  };

  int64_t id_of(std::string_view token) const;  // -1: none
  void add_pieces(std::string_view word, std::vector<int64_t>& ids) const;
  void add_words(std::string_view text, size_t limit, std::vector<int64_t>& ids) const;

  std::vector<std::string> tokens_;
  std::unordered_map<std::string, int64_t, TextHash, std::equal_to<>> ids_;
  std::vector<Special> specials_;
  int64_t unknown_ = 0, begin_ = 0, end_ = 0;
};

}  // namespace vitro::models
