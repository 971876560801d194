#include "graph/cursor.h"

#include <algorithm>
#include <charconv>

#include "vitro/base/split.h"

namespace vitro::graph {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.';
}

}  // namespace

void Cursor::skip_space() {
  while (at_ < text_.size() && is_space(text_[at_])) ++at_;
}

bool Cursor::at_end() {
  skip_space();
  return at_ == text_.size();
}

bool Cursor::take(std::string_view word) {
  skip_space();
  if (!text_.substr(at_).starts_with(word)) return false;
  const size_t end = at_ + word.size();
  const bool cut = is_name(word.back()) && end < text_.size() && is_name(text_[end]);
  if (!cut) at_ = end;
  return !cut;
}

std::string_view Cursor::name() {
  skip_space();
  const size_t begin = at_;
  while (at_ < text_.size() && is_name(text_[at_])) ++at_;
  return text_.substr(begin, at_ - begin);
}

std::optional<int64_t> Cursor::integer() {
  skip_space();
  int64_t value = 0;
  const auto end = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
  if (end.ec != std::errc{}) return std::nullopt;
  at_ = static_cast<size_t>(end.ptr - text_.data());
  return value;
}

std::optional<std::string_view> Cursor::enclosed(char open, char close) {
  skip_space();
  if (at_ == text_.size() || text_[at_] != open) return std::nullopt;
  const size_t begin = at_ + 1, end = find_outside(text_, close, begin);
  if (end == std::string_view::npos) return std::nullopt;
  at_ = end + 1;
  return text_.substr(begin, end - begin);
}

std::optional<std::string> Cursor::word() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  if (at_ == text_.size() || text_[at_] == '\n' || text_[at_] == '\r') return std::nullopt;
  std::string out;
  while (at_ < text_.size() && !is_space(text_[at_])) {
    if (text_[at_] != '"') {
      out += text_[at_++];
      continue;
    }
    const size_t end = past_quotes(text_, at_);
    for (size_t i = at_ + 1; i + 1 < end; ++i) {
      if (text_[i] == '\\') ++i;
      out += text_[i];
    }
    at_ = end;
  }
  return out;
}

std::vector<std::string> Cursor::comment() {
  std::vector<std::string> words;
  if (!take("#")) return words;
  while (auto one = word()) words.push_back(std::move(*one));
  return words;
}

size_t Cursor::line() const {
  return 1 + static_cast<size_t>(std::count(text_.begin(), text_.begin() + at_, '\n'));
}

}  // namespace vitro::graph
