// The arguments of an event, parsed from its text.
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
  // Reads an event.
  explicit Arguments(std::string_view event);
  // The members of a standalone object; none if it is malformed.
  static Arguments of(std::string_view object);
  Arguments(Arguments&&) noexcept;
  ~Arguments();

  // Replaces the arguments with those of an event's text; none if it has none.  False if the text
  // is malformed: those before the error are kept.
  bool read(std::string_view event);

  // The value as written, a text with its quotes; empty if absent.  Valid until the next read().
  std::string_view raw(std::string_view name) const;
  // An integer, possibly written as text.
  std::optional<int64_t> number(std::string_view name) const;
  // Any number.
  std::optional<double> decimal(std::string_view name) const;
  // A text without quotes and escapes; lists and objects on one line; other values as written.
  std::optional<std::string> text(std::string_view name) const;
  // Names (escapes kept) and raw values, in the order of the text.  Valid until the next read().
  std::span<const std::pair<std::string_view, std::string_view>> all() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace vitro::analyze
