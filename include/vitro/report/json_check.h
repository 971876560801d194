// Checks whether a text is JSON.
#pragma once

#include <string_view>

#include "vitro/base/verdict.h"

namespace vitro::report {

// Yes for one value of RFC 8259, nested at most 100 deep, with optional space around it; no with
// the first invalid byte.
Verdict can_be_json(std::string_view text);

}  // namespace vitro::report
