// Options, each declared in one line: its environment variable, default and help.  Each folder
// declares its own; `all_options()` lists them.
//   inline Option<bool> fuse{"VITRO_FUSE", true, "fuse neighbouring loops"};
//   if (fuse.get()) ...
// The variable is read once, when the option is first used; `set` overrides it.  If its text is not
// a valid value, a warning is printed and the default stays.  Threads: any.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace vitro {

class OptionBase {
 public:
  OptionBase(std::string_view variable, std::string_view help);
  OptionBase(const OptionBase&) = delete;
  virtual ~OptionBase();
  std::string_view variable() const { return variable_; }
  std::string_view help() const { return help_; }
  virtual std::string text() const = 0;           // the current value
  virtual void parse(std::string_view text) = 0;  // Error with the variable's name if the text is
                                                  // not a valid value

 protected:
  // The text of the variable; null if it is not set.
  const char* from_environment() const;

 private:
  std::string_view variable_, help_;
};

std::vector<OptionBase*> all_options();

// T: bool ("1", "true", "on", "yes"; "0", "false", "off", "no" and the empty text are false),
// int64_t (not less than `least`), std::string.
template <class T>
class Option : public OptionBase {
 public:
  Option(std::string_view variable, T fallback, std::string_view help, int64_t least = INT64_MIN)
      : OptionBase(variable, help), value_(std::move(fallback)), least_(least) {}

  T get() const {
    read_environment();
    std::lock_guard hold(lock_);
    return value_;
  }
  void set(T v) {
    read_environment();
    std::lock_guard hold(lock_);
    value_ = std::move(v);
  }
  std::string text() const override;
  void parse(std::string_view text) override;

 private:
  void read_environment() const {
    std::call_once(read_, [this] {
      if (const char* text = from_environment()) const_cast<Option*>(this)->assign(text);
    });
  }
  void assign(std::string_view text);
  T read(std::string_view text) const;

  mutable std::once_flag read_;
  mutable std::mutex lock_;
  T value_;
  int64_t least_;  // for int64_t
};

template <>
bool Option<bool>::read(std::string_view text) const;
template <>
int64_t Option<int64_t>::read(std::string_view text) const;
template <>
std::string Option<std::string>::read(std::string_view text) const;

extern template class Option<bool>;
extern template class Option<int64_t>;
extern template class Option<std::string>;

}  // namespace vitro
