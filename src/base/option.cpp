#include "vitro/base/option.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

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

void read(std::string_view, std::string_view text, bool& value) {
  value = !(text.empty() || text == "0" || text == "false" || text == "off" || text == "no");
}

void read(std::string_view variable, std::string_view text, int64_t& value) {
  int64_t parsed = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), parsed);
  VITRO_CHECK(end.ec == std::errc{} && end.ptr == text.data() + text.size(), variable, ": got \"",
              text, "\", needs a whole number");
  value = parsed;
}

void read(std::string_view, std::string_view text, std::string& value) {
  value = text;
}

}  // namespace

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
  read(variable(), text, value_);
}

template <class T>
void Option<T>::parse(std::string_view text) {
  T parsed{};
  read(variable(), text, parsed);
  set(std::move(parsed));
}

template <class T>
std::string Option<T>::text() const {
  return cat(get());
}

template class Option<bool>;
template class Option<int64_t>;
template class Option<std::string>;

}  // namespace vitro
