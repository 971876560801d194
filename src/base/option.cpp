#include "vitro/base/option.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

#include "vitro/base/cat.h"
#include "vitro/base/error.h"

namespace vitro {
namespace {

struct Registry {
  std::mutex lock;
  std::vector<OptionBase*> options;
};

Registry& registry() {
  static auto* one = new Registry;
  return *one;
}

}  // namespace

template <>
bool Option<bool>::read(std::string_view text) const {
  const auto one_of = [&](std::initializer_list<std::string_view> words) {
    return std::ranges::find(words, text) != words.end();
  };
  if (one_of({"1", "true", "on", "yes"})) return true;
  VITRO_CHECK(one_of({"", "0", "false", "off", "no"}), variable(), ": got \"", text,
              "\", needs 1 or 0 (also true, on, yes; false, off, no)");
  return false;
}

template <>
int64_t Option<int64_t>::read(std::string_view text) const {
  int64_t number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  VITRO_CHECK(end.ec == std::errc{} && end.ptr == text.data() + text.size(), variable(), ": got \"",
              text, "\", needs a whole number");
  VITRO_CHECK(number >= least_, variable(), ": got ", number, ", needs a whole number from ",
              least_, " on");
  return number;
}

template <>
std::string Option<std::string>::read(std::string_view text) const {
  return std::string(text);
}

OptionBase::OptionBase(std::string_view variable, std::string_view help)
    : variable_(variable), help_(help) {
  Registry& all = registry();
  std::lock_guard hold(all.lock);
  all.options.push_back(this);
}

OptionBase::~OptionBase() {
  Registry& all = registry();
  std::lock_guard hold(all.lock);
  std::erase(all.options, this);
}

const char* OptionBase::from_environment() const {
  return std::getenv(std::string(variable_).c_str());
}

std::vector<OptionBase*> all_options() {
  Registry& all = registry();
  std::lock_guard hold(all.lock);
  std::vector<OptionBase*> sorted = all.options;
  std::sort(sorted.begin(), sorted.end(),
            [](auto* a, auto* b) { return a->variable() < b->variable(); });
  return sorted;
}

template <class T>
void Option<T>::assign(std::string_view text) {
  try {
    value_ = read(text);
  } catch (const Error& error) {  // a program does not end because of its environment
    std::fprintf(stderr, "vitro warning: %s; it stays %s\n", error.what(), cat(value_).c_str());
  }
}

template <class T>
void Option<T>::parse(std::string_view text) {
  set(read(text));
}

template <class T>
std::string Option<T>::text() const {
  return cat(get());
}

template class Option<bool>;
template class Option<int64_t>;
template class Option<std::string>;

}  // namespace vitro
