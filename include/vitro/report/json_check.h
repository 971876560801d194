// Is a text JSON?
#pragma once

#include <string_view>

#include "vitro/base/verdict.h"

namespace vitro::report {

// Yes for one value of RFC 8259, nested at most 100 deep, with space around it; no with the first
// byte that is wrong.
Verdict can_be_json(std::string_view text);

}  // namespace vitro::report
