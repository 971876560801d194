#include "analyze/store/rewrite.h"

namespace vitro::analyze {
namespace {

class Rewriter {
 public:
  Rewriter(std::string_view text, const ReplaceValue& replace) : text_(text), replace_(replace) {}

  std::optional<std::string> run() {
    if (!object(false)) return std::nullopt;
    out_.append(text_.substr(copied_));
    return std::move(out_);
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && static_cast<unsigned char>(text_[at_]) <= ' ') ++at_;
  }
  bool take(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  bool object(bool in_args) {
    if (!take('{')) return false;
    if (take('}')) return true;
    do {
      if (!member(in_args)) return false;
    } while (take(','));
    return take('}');
  }

  bool member(bool in_args) {
    skip_space();
    const size_t key_begin = at_;
    if (!string()) return false;
    const std::string_view key = text_.substr(key_begin + 1, at_ - key_begin - 2);
    if (!take(':')) return false;
    skip_space();
    if (!in_args && key == "args" && at_ < text_.size() && text_[at_] == '{') return object(true);
    const size_t begin = at_;
    if (!value()) return false;
    const auto other = replace_(key, text_.substr(begin, at_ - begin), in_args);
    if (!other) return true;
    out_.append(text_.substr(copied_, begin - copied_)).append(*other);
    copied_ = at_;
    return true;
  }

  bool string() {
    if (!take('"')) return false;
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_) at_ += text_[at_] == '\\';
    return at_++ < text_.size();
  }

  // Moves to the end of a text, a bracketed value, or a number or word.
  bool value() {
    if (at_ >= text_.size()) return false;
    if (text_[at_] == '"') return string();
    const size_t begin = at_;
    for (size_t depth = 0; at_ < text_.size();) {
      const char c = text_[at_];
      if (c == '"') {
        if (!string()) return false;
        continue;
      }
      const bool closes = c == '}' || c == ']';
      if (depth == 0 && (c == ',' || closes)) break;
      depth += c == '{' || c == '[';
      depth -= closes;
      ++at_;
      if (depth == 0 && closes) break;
    }
    size_t end = at_;
    while (end > begin && static_cast<unsigned char>(text_[end - 1]) <= ' ') --end;
    at_ = end;
    return end > begin;
  }

  std::string_view text_;
  const ReplaceValue& replace_;
  size_t at_ = 0, copied_ = 0;  // read, and written to out_, up to here
  std::string out_;
};

}  // namespace

std::optional<std::string> rewritten(std::string_view event, const ReplaceValue& replace) {
  return Rewriter(event, replace).run();
}

}  // namespace vitro::analyze
