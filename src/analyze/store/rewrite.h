// An event's text with some values replaced; everything else stays byte for byte.
//   rewritten(text, [&](std::string_view key, std::string_view value, bool in_args) {
//     return key == "ts" && !in_args ? std::optional(cat(later)) : std::nullopt;
//   });
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace vitro::analyze {

// The JSON text that replaces a value; nothing: the value stays.
using ReplaceValue = std::function<std::optional<std::string>(
    std::string_view key, std::string_view value, bool in_args)>;

// Calls `replace` for each member of the event and, with in_args, of its `args`; keys and values as
// written, keys without quotes.  Returns nothing if the text is not an object.
std::optional<std::string> rewritten(std::string_view event, const ReplaceValue& replace);

}  // namespace vitro::analyze
