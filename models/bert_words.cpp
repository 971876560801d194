#include "bert_words.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdint>
#include <span>

#include "bert_tables.h"
#include "vitro/base/error.h"

namespace vitro::models {
namespace {

using Code = utf8proc_int32_t;

bool contains(std::span<const bert::Range> ranges, Code code) {
  auto c = static_cast<uint32_t>(code);
  auto above = std::ranges::upper_bound(ranges, c, {}, &bert::Range::first);
  return above != ranges.begin() && c <= std::prev(above)->last;
}

void append(std::string& out, Code code) {
  utf8proc_uint8_t bytes[4];
  utf8proc_ssize_t size = utf8proc_encode_char(code, bytes);
  out.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
}

// Removes control characters, normalises spaces, puts spaces around ideographs; valid UTF-8.
std::string cleaned(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  const auto* at = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  for (auto left = static_cast<utf8proc_ssize_t>(text.size()); left > 0;) {
    Code code = 0;
    utf8proc_ssize_t used = utf8proc_iterate(at, left, &code);
    if (used <= 0) {  // not the start of a character: try the next byte
      used = 1;
    } else if (contains(bert::spaces, code)) {
      out += ' ';
    } else if (contains(bert::ideographs, code)) {
      out += ' ';
      append(out, code);
      out += ' ';
    } else if (!contains(bert::removed, code)) {
      out.append(reinterpret_cast<const char*>(at), static_cast<size_t>(used));
    }
    at += used;
    left -= used;
  }
  return out;
}

std::vector<Code> decomposed(const std::string& text) {
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  auto size = static_cast<utf8proc_ssize_t>(text.size());
  std::vector<Code> codes(text.size());  // enough for nearly every text
  utf8proc_ssize_t needed = 0;
  for (;;) {
    needed = utf8proc_decompose(bytes, size, codes.data(),
                                static_cast<utf8proc_ssize_t>(codes.size()), UTF8PROC_DECOMPOSE);
    VITRO_CHECK(needed >= 0, "tokenizer: ", utf8proc_errmsg(needed), " in a text of ", text.size(),
                " bytes");
    if (static_cast<size_t>(needed) <= codes.size()) break;
    codes.resize(static_cast<size_t>(needed));
  }
  codes.resize(static_cast<size_t>(needed));
  return codes;
}

}  // namespace

std::vector<std::string> bert_words(std::string_view text) {
  std::vector<std::string> words;
  bool open = false;  // whether the last word may grow
  for (Code code : decomposed(cleaned(text))) {
    if (contains(bert::marks, code)) continue;
    if (contains(bert::spaces, code)) {
      open = false;
      continue;
    }
    bool alone = contains(bert::punctuation, code);
    if (!open || alone) words.emplace_back();
    append(words.back(), utf8proc_tolower(code));
    open = !alone;
  }
  return words;
}

size_t code_points(std::string_view text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace vitro::models
