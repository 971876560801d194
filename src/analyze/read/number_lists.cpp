#include "analyze/read/number_lists.h"

#include "analyze/read/token.h"

namespace vitro::analyze {
// The next byte; 0 at the end.
char NumberLists::peek() {
  if (at_ == buffer_.size()) {
    constexpr size_t piece = size_t{64} << 10;
    before_ += buffer_.size();
    buffer_.resize(piece);
    buffer_.resize(bytes_.read(buffer_.data(), piece));
    at_ = 0;
  }
  return at_ == buffer_.size() ? '\0' : buffer_[at_];
}

NumberLists::Kind NumberLists::next() {
  char c = peek();
  while (is_space(c) || c == ',') {
    ++at_;
    c = peek();
  }
  offset_ = before_ + at_;
  if (c == '-' || is_digit(c)) return read_number();
  if (at_ == buffer_.size()) return Kind::end;
  if (c == '[' || c == ']') ++at_;
  return c == '[' ? Kind::open : c == ']' ? Kind::close : Kind::other;
}

NumberLists::Kind NumberLists::read_number() {
  const bool negative = peek() == '-';
  if (negative) ++at_;
  if (!is_digit(peek())) return Kind::other;
  number_ = 0;
  for (char c = peek(); is_digit(c); c = peek()) {
    const int64_t digit = negative ? '0' - c : c - '0';
    if (__builtin_mul_overflow(number_, 10, &number_) ||
        __builtin_add_overflow(number_, digit, &number_))
      return Kind::other;
    ++at_;
  }
  const char behind = peek();
  return behind == '.' || behind == 'e' || behind == 'E' ? Kind::other : Kind::number;
}

bool begins_memory_timeline(std::string_view text) {
  const auto skip = [&](std::string_view what) {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    if (!text.starts_with(what)) return false;
    text.remove_prefix(what.size());
    return true;
  };
  if (!skip("[") || !skip("[") || !skip("") || text.empty()) return false;
  return text.front() == '-' || text.front() == ']' || is_digit(text.front());
}

}  // namespace vitro::analyze
