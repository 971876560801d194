// libFuzzer's side of the fuzzer of programs: tools/fuzz_reader builds and runs it.  Half of the
// changes are made to the words, numbers, lists and objects of the JSON text, so that most are
// still programs.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>

#include "exported/run_any.h"
#include "vitro/init.h"

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  vitro::init();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  vitro::exported::run_any({reinterpret_cast<const char*>(data), size});
  return 0;
}

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);

namespace {

// A part of the text: [begin, end).
struct Span {
  size_t begin = 0, end = 0;
};

// The word (without quotes) or number after a random place; empty if there is none.
Span random_token(std::string_view text, std::mt19937& random) {
  size_t at = text.find_first_of("-0123456789\"", random() % text.size());
  if (at == text.npos) return {};
  if (text[at] != '"')
    return {at, std::min(text.find_first_not_of("-0123456789", at), text.size())};
  return {at + 1, std::min(text.find('"', at + 1), text.size())};
}

// The object or list that begins after a random place.
Span random_tree(std::string_view text, std::mt19937& random) {
  const size_t begin = text.find_first_of("{[", random() % text.size());
  int depth = 0;
  for (size_t i = begin; i < text.size(); ++i) {
    depth += (text[i] == '{' || text[i] == '[') - (text[i] == '}' || text[i] == ']');
    if (depth == 0) return {begin, i + 1};
  }
  return {};
}

void change(std::string& text, std::mt19937& random) {
  constexpr std::string_view extremes[] = {"0", "-1", "1", "9223372036854775807", "1000000007"};
  const bool is_tree = random() % 4 == 0;
  const Span old = is_tree ? random_tree(text, random) : random_token(text, random);
  const Span other = is_tree ? random_tree(text, random) : random_token(text, random);
  std::string by = text.substr(other.begin, other.end - other.begin);
  const bool is_number =
      text[old.begin] == '-' || (text[old.begin] >= '0' && text[old.begin] <= '9');
  if (is_tree && random() % 4 == 0) by = text[old.begin] == '{' ? "{}" : "[]";
  if (!is_tree && is_number && random() % 2) by = extremes[random() % std::size(extremes)];
  text.replace(old.begin, old.end - old.begin, by);
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most,
                                          unsigned int seed) {
  std::mt19937 random(seed);
  if (size == 0 || random() % 4 == 0) return LLVMFuzzerMutate(data, size, most);
  std::string text(reinterpret_cast<const char*>(data), size);
  for (size_t i = 0; i <= random() % 3 && !text.empty(); ++i) change(text, random);
  const size_t changed = std::min(text.size(), most);
  std::memcpy(data, text.data(), changed);
  return changed;
}
