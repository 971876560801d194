// What docs/ops.md says, and what `vitro ops NAME` prints: both from the definitions.
#pragma once

#include <string>
#include <string_view>

namespace vitro::ops {

// Markdown of all ops and functions, by kind.
std::string page();
// Text about one name: what it does, its kind, its schemas.  Empty where there is none.
std::string page(std::string_view name);
// "pointwise", "view", ...; "function" for one that is written with ops.
std::string_view kind_of(std::string_view name);

}  // namespace vitro::ops
