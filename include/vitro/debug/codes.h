// The page of all codes, docs/codes.md, from their declarations (base/code.h).
#pragma once

#include <string>

namespace vitro {

// Markdown.  It lists the codes of the folders that the program is linked with.
std::string codes_page();

}  // namespace vitro
