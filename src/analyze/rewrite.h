// An event's text with some of its values replaced; all else stays byte for byte.
//   rewritten(text, [&](std::string_view key, std::string_view value, bool in_args) {
//     return key == "ts" && !in_args ? std::optional(cat(later)) : std::nullopt;
//   });
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace vitro::analyze {

// The JSON text that takes a value's place; nothing: it stays.
using ReplaceValue = std::function<std::optional<std::string>(
    std::string_view key, std::string_view value, bool in_args)>;

// Asked for each member of the event and, with in_args, of its `args`; keys and values as they are
// written, keys without quotes.  Nothing where the text is no object of members.
std::optional<std::string> rewritten(std::string_view event, const ReplaceValue& replace);

}  // namespace vitro::analyze
