#include "report/printable.h"

#include <cstdint>

#include "report/utf8.h"

namespace vitro::report {
namespace {

bool is_control(int32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

// Of no width, separators of lines, marks and overrides of direction.
bool is_hidden(int32_t code) {
  return code == 0xad || code == 0x61c || (code >= 0x200b && code <= 0x200f) ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) ||
         code == 0xfeff || (code >= 0xfff9 && code <= 0xfffb) ||
         (code >= 0xe0000 && code <= 0xe007f);
}

void append_hex(std::string& out, char letter, uint32_t number, int digits) {
  out += '\\';
  out += letter;
  while (digits-- > 0) out += "0123456789abcdef"[number >> (4 * digits) & 15];
}

void append_escape(std::string& out, int32_t code) {
  const auto number = static_cast<uint32_t>(code);
  if (code == '\n') {
    out += "\\n";
  } else if (code == '\r') {
    out += "\\r";
  } else if (code == '\t') {
    out += "\\t";
  } else if (code <= 0xff) {
    append_hex(out, 'x', number, 2);
  } else if (code <= 0xffff) {
    append_hex(out, 'u', number, 4);
  } else {
    append_hex(out, 'U', number, 8);
  }
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character c = next_character(text);
    if (c.code < 0) {
      append_escape(out, static_cast<uint8_t>(text[0]));
    } else if (is_control(c.code) || is_hidden(c.code)) {
      append_escape(out, c.code);
    } else {
      out += text.substr(0, c.length);
    }
    text.remove_prefix(c.length);
  }
  return out;
}

}  // namespace vitro::report
