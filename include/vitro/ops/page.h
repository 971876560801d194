// The text of docs/ops.md and of `vitro ops NAME`, generated from the definitions.
#pragma once

#include <string>
#include <string_view>

namespace vitro::ops {

// Markdown for all ops and functions, by kind.
std::string page();
// Text about one name: what it does, its kind, its schemas. Empty if there is no such name.
std::string page(std::string_view name);
// "pointwise", "view", ...; "function" for a function that is written with ops, "number" for one
// whose result is not a tensor.
std::string_view kind_of(std::string_view name);

}  // namespace vitro::ops
