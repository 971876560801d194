#include "vitro/base/called_as.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "vitro/base/cat.h"

namespace vitro {
namespace {

constinit thread_local Called called{{}, false, {}};

// The length of the op name at the beginning of the text; npos: there is none.
size_t name_length(std::string_view text) {
  const auto is_part = [](char c) {
    return (std::isalnum(static_cast<unsigned char>(c)) != 0) || c == '_';
  };
  const size_t end = static_cast<size_t>(std::ranges::find_if_not(text, is_part) - text.begin());
  return end != 0 && text.substr(end).starts_with(": ") ? end : text.npos;
}

}  // namespace

CalledAs::CalledAs(std::string_view name, std::source_location from, bool in_place)
    : before_(called) {
  if (called.name.empty()) called = {name, in_place, from};
}

CalledAs::CalledAs(const Called& earlier) : before_(std::exchange(called, earlier)) {}

CalledAs::~CalledAs() {
  called = before_;
}

const Called& CalledAs::current() {
  return called;
}

std::string in_words_of_call(std::string mistake) {
  if (called.name.empty()) return mistake;
  const size_t end = name_length(mistake);
  if (end == mistake.npos) return mistake;
  return cat(called.name, called.in_place ? "_" : "", mistake.substr(end));
}

}  // namespace vitro
