// A trace file to a folder of columns.
#pragma once

#include <string>

#include "vitro/analyze/trace.h"

namespace vitro::analyze {

// Reads on several threads, in the order of the file.  Fails where the file cannot be opened or
// holds no events; Error where the folder cannot be written.
Result<Done> load(const std::string& path, const std::string& folder, const LoadOptions& options);

}  // namespace vitro::analyze
