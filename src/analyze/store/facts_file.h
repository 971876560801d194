// The facts of a trace as a file: numbers and length-prefixed texts, with a hash of everything.
#pragma once

#include <string>

#include "analyze/store/columns.h"

namespace vitro::analyze {

// Throws Error if it cannot be written.
void write_facts(const std::string& path, const Facts& facts);
// Fails if there is none, or if it was written by another version or is corrupt.
Result<Facts> read_facts(const std::string& path);

}  // namespace vitro::analyze
