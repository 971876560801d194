// Reads JSON from a file, as it is or packed by gzip, value by value, without keeping it.
//   JsonStream json(path);
//   json.object([&](std::string_view key) { key == "rows" ? json.array(row) : json.skip(); });
//   if (!json.trouble().empty()) …
// After an error all values are empty.  One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/base/function_ref.h"

namespace vitro::cli {

class JsonStream {
 public:
  // Reads so many bytes at a time.
  explicit JsonStream(const std::string& path, size_t piece = 256 << 10);
  ~JsonStream();

  // Where the next value begins: its first byte; 0 at the end.
  char next();
  // Each call takes one value.  Keys are as written, without quotes.
  void object(FunctionRef<void(std::string_view key)> member);
  void array(FunctionRef<void()> element);
  // A text, number or word as written, texts with their quotes; empty for objects and lists.
  std::string scalar();
  void skip();

  // What is wrong with the file, and where; empty: nothing yet.
  const std::string& trouble() const { return trouble_; }

 private:
  struct File;
  int byte();  // -1: none left
  void take() { ++at_; }
  void take_text(std::string* to);
  bool expect(char wanted);
  bool goes_on(char closing);
  void fail(std::string_view why);

  std::unique_ptr<File> file_;
  std::vector<char> piece_;
  size_t at_ = 0, size_ = 0;
  uint64_t before_ = 0;  // bytes before the piece
  std::string trouble_;
};

}  // namespace vitro::cli
