// A trace file to columns.
#pragma once

#include <string>

#include "analyze/columns.h"
#include "vitro/analyze/trace.h"

namespace vitro::analyze {

// Reads on several threads, in the order of the file, into `writer`.  Fails where the file cannot
// be opened or holds no events; Error where columns cannot be written.
Result<Facts> load(const std::string& path, ColumnWriter& writer, const LoadOptions& options);

}  // namespace vitro::analyze
