#include "analyze/read/mend.h"

namespace vitro::analyze {

std::string mended(std::string_view text) {
  std::string out;
  bool in_text = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"') in_text = !in_text;
    if (in_text && c == '\\' && i + 1 < text.size()) {
      const bool known =
          std::string_view("\"\\/bfnrtu").find(text[i + 1]) != std::string_view::npos;
      out += known ? std::string{c, text[i + 1]} : std::string("/");
      i += known ? 1 : 0;
    } else if (in_text && (byte < 0x20 || byte >= 0x80)) {
      out += byte < 0x20 ? ' ' : '?';
    } else {
      out += c;
    }
    if (in_text) continue;
    for (const std::string_view word :
         {"-Infinity", "Infinity", "-NaN", "NaN", "-inf", "inf", "-nan", "nan"}) {
      if (!text.substr(i).starts_with(word)) continue;
      out.pop_back();
      out += "null";
      i += word.size() - 1;
      break;
    }
  }
  return out;
}

}  // namespace vitro::analyze
