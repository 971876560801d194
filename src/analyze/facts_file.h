// The facts of a trace as a file: numbers and texts with their lengths, and a hash of it all.
#pragma once

#include <string>

#include "analyze/columns.h"

namespace vitro::analyze {

// Error where it cannot be written.
void write_facts(const std::string& path, const Facts& facts);
// Fails where there is none, it is of another version, or not as it was written.
Result<Facts> read_facts(const std::string& path);

}  // namespace vitro::analyze
