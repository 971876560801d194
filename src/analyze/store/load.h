// Reads a trace file into columns.
#pragma once

#include <string>

#include "analyze/store/columns.h"
#include "vitro/analyze/trace.h"

namespace vitro::analyze {

// Reads on several threads, in file order, into `writer`.  Fails if the file cannot be opened or
// holds no events; throws Error if columns cannot be written.
Result<Facts> load(const std::string& path, ColumnWriter& writer, const LoadOptions& options);

}  // namespace vitro::analyze
