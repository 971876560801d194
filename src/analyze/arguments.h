// The arguments of an event, out of its text.
//   trace.read_events(events, [&](EventId e, std::string_view text) {
//     const Arguments arguments(text);
//     use(arguments.number("stream"), arguments.text("Collective name"));
//   });
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace vitro::analyze {

class Arguments {
 public:
  // Of the text of a whole event; none where it has none, or is broken.
  explicit Arguments(std::string_view event);

  // A whole number, be it written as text.
  std::optional<int64_t> number(std::string_view name) const;
  // A number, whole or not.
  std::optional<double> decimal(std::string_view name) const;
  // A text without quotes and escapes; other values as they are written.
  std::optional<std::string> text(std::string_view name) const;
  // All of them; texts without quotes and escapes, other values as they are written.
  const std::map<std::string, std::string, std::less<>>& all() const { return values_; }

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace vitro::analyze
