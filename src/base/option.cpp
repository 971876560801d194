// The registry of options and their values; parses variables, and warns of unknown ones when the
// first option is read after `watch_for_unknown_variables`.
#include "vitro/base/option.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/base/nearest.h"
#include "vitro/base/variables.h"

namespace vitro {
namespace {

struct Registry {
  std::mutex lock;
  std::vector<OptionBase*> options;
  std::vector<std::string_view> others;  // known, but not options
  std::atomic<bool> is_whole = false;
};

Registry& registry() {
  static auto* one = new Registry;
  return *one;
}

bool is_known(std::string_view variable) {
  Registry& all = registry();
  std::lock_guard hold(all.lock);
  return std::ranges::find(all.others, variable) != all.others.end();
}

void say_unknown_variables() {
  static std::once_flag once;
  if (!registry().is_whole) return;
  std::call_once(once, [] {
    for (const std::string& sentence : unknown_variables(environ))
      std::fprintf(stderr, "vitro warning: %s\n", sentence.c_str());
  });
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
              text, "\", needs an integer");
  VITRO_CHECK(number >= least_, variable(), ": got ", number, ", needs an integer of at least ",
              least_);
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
  say_unknown_variables();
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

KnownVariable::KnownVariable(const char* name) {
  Registry& all = registry();
  std::lock_guard hold(all.lock);
  all.others.push_back(name);
}

std::vector<std::string> unknown_variables(const char* const* environment) {
  constexpr std::string_view prefix = "VITRO_";
  std::vector<std::string> options;  // without the prefix, which all names have
  for (const OptionBase* option : all_options()) {
    if (option->variable().starts_with(prefix))
      options.emplace_back(option->variable().substr(prefix.size()));
  }
  std::vector<std::string> sentences;
  for (; environment && *environment; ++environment) {
    const std::string_view line = *environment, whole = line.substr(0, line.find('='));
    if (!whole.starts_with(prefix) || is_known(whole)) continue;
    const std::string_view name = whole.substr(prefix.size()), meant = nearest(name, options);
    if (name.starts_with("TEST_") || std::ranges::find(options, name) != options.end()) continue;
    sentences.push_back(cat(whole, " is not a variable that Vitro reads; ",
                            meant.empty() ? "" : cat("did you mean ", prefix, meant, "? "),
                            "`vitro options` lists them"));
  }
  return sentences;
}

void watch_for_unknown_variables() {
  registry().is_whole = true;
}

template <class T>
void Option<T>::assign(std::string_view text) {
  try {
    value_ = read(text);
  } catch (const Error& error) {  // must not end the program
    std::fprintf(stderr, "vitro warning: %s; keeping %s\n", error.what(), cat(value_).c_str());
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
