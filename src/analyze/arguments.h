// The arguments of an event, out of its text.
//   Arguments arguments;
//   trace.read_events(events, [&](EventId e, std::string_view text) {
//     if (arguments.read(text)) use(e, arguments.number("stream"), arguments.text("Process Group
//     Name"));
//   });
// One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace vitro::analyze {

class Arguments {
 public:
  Arguments();
  // Reads it.
  explicit Arguments(std::string_view event);
  // The members of an object that stands by itself; none where it is broken.
  static Arguments of(std::string_view object);
  Arguments(Arguments&&) noexcept;
  ~Arguments();

  // Of the text of a whole event, in place of those before; none where it has none.  False where
  // the text is broken: those in front of the break are there.
  bool read(std::string_view event);

  // As it is written, a text with its quotes; empty where it is not given.  Until the next read().
  std::string_view raw(std::string_view name) const;
  // A whole number, be it written as text.
  std::optional<int64_t> number(std::string_view name) const;
  // A number, whole or not.
  std::optional<double> decimal(std::string_view name) const;
  // A text without quotes and escapes; lists and objects in one line; other values as they are
  // written.
  std::optional<std::string> text(std::string_view name) const;
  // Names (escapes as they are) and raw values, in the order of the text.  Until the next read().
  std::span<const std::pair<std::string_view, std::string_view>> all() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace vitro::analyze
