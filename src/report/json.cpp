// Writes JSON with fast paths for plain text and numbers; json.h is its interface.
#include "vitro/report/json.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "report/utf8.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"

namespace vitro::report {
namespace {

constexpr size_t number_room = 40, short_text = 512;
constexpr int64_t exact_in_double = int64_t{1} << 53;

// Bytes that need no escape in a JSON string.
constexpr auto plain = [] {
  std::array<bool, 256> yes{};
  for (size_t c = 0x20; c < 0x80; ++c) yes[c] = c != '"' && c != '\\' && c != 0x7f;
  return yes;
}();

// Whether eight bytes at once are all plain.  (Sets the top bit of every byte that is not; a borrow
// may set a bit above such a byte, which does not change the result.)
bool all_plain(uint64_t bytes) {
  constexpr uint64_t ones = 0x0101010101010101, tops = ones << 7;
  const auto below = [](uint64_t each, uint64_t limit) { return each - ones * limit; };
  const uint64_t special = below(bytes, 0x20) | below(bytes ^ ones * '"', 1) |
                           below(bytes ^ ones * '\\', 1) | below(bytes ^ ones * 0x7f, 1) | bytes;
  return (special & tops) == 0;
}

bool all_plain(std::string_view text) {
  size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    uint64_t bytes;
    std::memcpy(&bytes, text.data() + at, sizeof bytes);
    if (!all_plain(bytes)) return false;
  }
  for (; at < text.size(); ++at) {
    if (!plain[static_cast<uint8_t>(text[at])]) return false;
  }
  return true;
}

void write_escape(Output& out, int32_t code) {
  switch (code) {
    case '"':
      return out.write("\\\"");
    case '\\':
      return out.write("\\\\");
    case '\n':
      return out.write("\\n");
    case '\t':
      return out.write("\\t");
    case '\r':
      return out.write("\\r");
    default: {
      constexpr char digits[] = "0123456789abcdef";
      const auto low = static_cast<size_t>(code & 0xff);
      const char text[] = {'\\', 'u', '0', '0', digits[low >> 4], digits[low & 15]};
      out.write({text, sizeof text});
    }
  }
}

// Writes one character that is not plain; returns the bytes of `text` consumed.
size_t write_special(Output& out, std::string_view text) {
  const Character c = next_character(text);
  if (c.code < 0) {
    out.write("\xef\xbf\xbd");
  } else if (c.code < 0x80) {
    write_escape(out, c.code);
  } else {
    out.write(text.substr(0, c.length));
  }
  return c.length;
}

}  // namespace

void Json::line() {
  if (open_.size() > line_depth_) return;
  out_.write('\n');
  for (size_t i = 0; i < open_.size(); ++i) out_.write("  ");
}

void Json::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (open_.empty()) return;
  if (!open_.back().empty) out_.write(',');
  open_.back().empty = false;
  line();
}

void Json::quoted(std::string_view text) {
  if (text.size() <= short_text && all_plain(text)) [[likely]] {
    char* const room = out_.room(short_text + 2);
    room[0] = '"';
    text.copy(room + 1, text.size());
    room[text.size() + 1] = '"';
    out_.add(text.size() + 2);
    return;
  }
  out_.write('"');
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && plain[static_cast<uint8_t>(text[end])]) ++end;
    if (end > at) out_.write(text.substr(at, end - at));
    at = end;
    if (at < text.size()) at += write_special(out_, text.substr(at));
  }
  out_.write('"');
}

Json& Json::begin(char opening, char closing) {
  separate();
  out_.write(opening);
  open_.push_back({closing, true});
  return *this;
}

Json& Json::end() {
  VITRO_ASSERT(!open_.empty() && !after_key_);
  const Level level = open_.back();
  open_.pop_back();
  if (!level.empty && open_.size() < line_depth_) line();
  out_.write(level.closing);
  return *this;
}

Json& Json::key(std::string_view name) {
  VITRO_ASSERT(!open_.empty() && open_.back().closing == '}' && !after_key_);
  separate();
  quoted(name);
  out_.write(": ");
  after_key_ = true;
  return *this;
}

Json& Json::value(std::string_view text) {
  separate();
  quoted(text);
  return *this;
}

Json& Json::value(double number) {
  if (!std::isfinite(number)) return null();
  separate();
  char* room = out_.room(number_room);
  out_.add(static_cast<size_t>(std::to_chars(room, room + number_room, number).ptr - room));
  return *this;
}

Json& Json::signed_value(int64_t number) {
  separate();
  char* room = out_.room(number_room);
  out_.add(static_cast<size_t>(std::to_chars(room, room + number_room, number).ptr - room));
  return *this;
}

Json& Json::unsigned_value(uint64_t number) {
  separate();
  char* room = out_.room(number_room);
  out_.add(static_cast<size_t>(std::to_chars(room, room + number_room, number).ptr - room));
  return *this;
}

Json& Json::thousandths(int64_t number) {
  separate();
  char* const room = out_.room(number_room);
  char* at = room;
  if (number < 0) *at++ = '-';
  const uint64_t size =
      number < 0 ? 0 - static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
  at = std::to_chars(at, room + number_room, size / 1000).ptr;
  const auto rest = static_cast<int>(size % 1000);
  *at++ = '.';
  for (const int digit : {rest / 100, rest / 10 % 10, rest % 10})
    *at++ = static_cast<char>('0' + digit);
  out_.add(static_cast<size_t>(at - room));
  return *this;
}

Json& Json::exact(int64_t number) {
  if (number >= -exact_in_double && number <= exact_in_double) return signed_value(number);
  return value(std::string_view(cat(number)));
}

Json& Json::exact(uint64_t number) {
  if (number <= exact_in_double) return unsigned_value(number);
  return value(std::string_view(cat(number)));
}

Json& Json::raw(std::string_view json) {
  separate();
  out_.write(json);
  return *this;
}

}  // namespace vitro::report
