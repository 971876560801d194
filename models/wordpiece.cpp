// The tokenizer of uncased BERT models: words (bert_words.h) are split into the longest pieces in
// the vocabulary; see wordpiece.h.
#include "vitro/models/wordpiece.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "bert_words.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"

namespace vitro::models {
namespace {

constexpr size_t longest_word = 100;  // code points; a longer one is unknown
constexpr size_t most_tokens = 10'000'000, longest_token = 1000;
constexpr std::string_view special_names[] = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};

// The length of the code point that ends at `end`.
size_t last_width(std::string_view text, size_t end) {
  size_t begin = end - 1;
  while (begin > 0 && (text[begin] & 0xC0) == 0x80) --begin;
  return end - begin;
}

}  // namespace

Result<WordPiece> WordPiece::read(const std::string& vocabulary) {
  std::ifstream file(vocabulary, std::ios::binary);
  if (!file) return Failure{cat(vocabulary, ": cannot be opened: ", std::strerror(errno))};
  WordPiece result;
  for (std::string line; std::getline(file, line);) {
    if (line.ends_with('\r')) line.pop_back();
    auto number = result.tokens_.size() + 1;
    if (line.size() > longest_token || number > most_tokens)
      return Failure{cat(vocabulary, ": line ", number, ": got ", line.size(),
                         " bytes; a vocabulary has at most ", longest_token, " in a line and ",
                         most_tokens, " lines")};
    if (!result.ids_.try_emplace(line, static_cast<int64_t>(number - 1)).second)
      return Failure{cat(vocabulary, ": line ", number, ": '", line,
                         "' occurs twice: is this a vocabulary, one token per line?")};
    result.tokens_.push_back(std::move(line));
  }
  for (std::string_view name : special_names)
    if (int64_t id = result.id_of(name); id >= 0)
      result.specials_.push_back({std::string(name), id});
  result.unknown_ = result.id_of("[UNK]");
  result.begin_ = result.id_of("[CLS]");
  result.end_ = result.id_of("[SEP]");
  if (std::min({result.unknown_, result.begin_, result.end_}) < 0)
    return Failure{cat(vocabulary, ": [UNK], [CLS] or [SEP] is missing among its ", result.size(),
                       " lines: is this BERT's vocab.txt?")};
  return result;
}

int64_t WordPiece::id_of(std::string_view token) const {
  auto found = ids_.find(token);
  return found == ids_.end() ? -1 : found->second;
}

// Repeatedly takes the longest piece in the vocabulary; pieces after the first are written
// "##piece" there.
void WordPiece::add_pieces(std::string_view word, std::vector<int64_t>& ids) const {
  size_t before = ids.size();
  if (code_points(word) > longest_word) {
    ids.push_back(unknown_);
    return;
  }
  std::string piece;
  for (size_t begin = 0; begin < word.size();) {
    size_t end = word.size();
    int64_t id = -1;
    for (; end > begin; end -= last_width(word, end)) {
      piece.assign(begin > 0 ? "##" : "").append(word.substr(begin, end - begin));
      if ((id = id_of(piece)) >= 0) break;
    }
    if (id < 0) {
      ids.resize(before);
      ids.push_back(unknown_);
      return;
    }
    ids.push_back(id);
    begin = end;
  }
}

void WordPiece::add_words(std::string_view text, size_t limit, std::vector<int64_t>& ids) const {
  for (const std::string& word : bert_words(text)) {
    if (ids.size() >= limit) return;
    add_pieces(word, ids);
  }
}

std::vector<int64_t> WordPiece::encode(std::string_view text, size_t max_tokens) const {
  VITRO_CHECK(max_tokens >= 2, "tokenizer: got a limit of ", max_tokens,
              " tokens, but [CLS] and [SEP] need 2");
  std::vector<int64_t> ids = {begin_};
  size_t limit = max_tokens - 1;
  while (!text.empty() && ids.size() < limit) {
    size_t next = std::string_view::npos;
    const Special* special = nullptr;
    for (const Special& s : specials_)
      if (size_t at = text.find(s.name); at < next) {
        next = at;
        special = &s;
      }
    add_words(text.substr(0, next), limit, ids);
    if (!special) break;
    ids.push_back(special->id);
    text.remove_prefix(next + special->name.size());
  }
  ids.resize(std::min(ids.size(), limit));
  ids.push_back(end_);
  return ids;
}

}  // namespace vitro::models
