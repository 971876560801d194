// Values end where brackets and quotes say so; what a value means is left to the caller.
#include "json_stream.h"

#include <zlib.h>

#include <algorithm>

#include "vitro/base/cat.h"

namespace vitro::cli {

struct JsonStream::File {
  gzFile of = nullptr;
};

JsonStream::JsonStream(const std::string& path, size_t piece)
    : file_(std::make_unique<File>()), piece_(piece) {
  file_->of = gzopen(path.c_str(), "rb");
  if (file_->of) {
    gzbuffer(file_->of, static_cast<unsigned>(piece));
  } else {
    fail("the file cannot be opened");
  }
}

JsonStream::~JsonStream() {
  if (file_->of) gzclose(file_->of);
}

int JsonStream::byte() {
  if (!trouble_.empty()) return -1;
  if (at_ == size_) {
    before_ += size_;
    at_ = size_ = 0;
    const int got = gzread(file_->of, piece_.data(), static_cast<unsigned>(piece_.size()));
    int error = Z_OK;
    const char* why = gzerror(file_->of, &error);
    if (got < 0 || error != Z_OK) fail(why);
    if (got <= 0) return -1;
    size_ = static_cast<size_t>(got);
  }
  return static_cast<unsigned char>(piece_[at_]);
}

char JsonStream::next() {
  for (;; take()) {
    const int c = byte();
    if (c < 0) return 0;
    if (c != ' ' && c != '\n' && c != '\t' && c != '\r') return static_cast<char>(c);
  }
}

bool JsonStream::expect(char wanted) {
  const char c = next();
  if (c == wanted) {
    take();
    return true;
  }
  fail(c == 0 ? "the file ends in the middle" : cat("needs '", wanted, "', has '", c, "'"));
  return false;
}

// After a value in a list or an object.
bool JsonStream::goes_on(char closing) {
  if (next() == ',') {
    take();
    return true;
  }
  expect(closing);
  return false;
}

void JsonStream::object(FunctionRef<void(std::string_view key)> member) {
  if (!expect('{')) return;
  if (next() == '}') return take();
  std::string key;
  do {
    key.clear();
    if (next() != '"') return fail("needs a key in quotes");
    take_text(&key);
    if (!expect(':')) return;
    member(std::string_view(key).substr(1, key.size() - 2));
  } while (goes_on('}'));
}

void JsonStream::array(FunctionRef<void()> element) {
  if (!expect('[')) return;
  if (next() == ']') return take();
  do element();
  while (goes_on(']'));
}

// From one quote to the other.
void JsonStream::take_text(std::string* to) {
  bool escaped = false;
  for (bool first = true;; first = false) {
    const int c = byte();
    if (c < 0) return fail("the file ends in the middle");
    take();
    if (to) to->push_back(static_cast<char>(c));
    if (c == '"' && !escaped && !first) return;
    escaped = c == '\\' && !escaped;
  }
}

std::string JsonStream::scalar() {
  std::string out;
  const char first = next();
  if (first == '{' || first == '[') {
    skip();
  } else if (first == '"') {
    take_text(&out);
  } else {
    for (int c = byte();
         c > ' ' && std::string_view(",:]}").find(static_cast<char>(c)) == std::string_view::npos;
         c = byte()) {
      out.push_back(static_cast<char>(c));
      take();
    }
    if (out.empty()) fail("needs a value");
  }
  return trouble_.empty() ? out : std::string();
}

void JsonStream::skip() {
  const char first = next();
  if (first != '{' && first != '[') {
    scalar();
    return;
  }
  for (int depth = 0;;) {
    const int c = byte();
    if (c < 0) return fail("the file ends in the middle");
    if (c == '"') {
      take_text(nullptr);
      continue;
    }
    take();
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) return;
  }
}

void JsonStream::fail(std::string_view why) {
  if (trouble_.empty()) trouble_ = cat("at byte ", before_ + at_, ": ", why);
}

}  // namespace vitro::cli
