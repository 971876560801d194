// Exports of Nsight Systems (`nsys export --type sqlite`) as traces.
//   if (is_database(file)) trace = open(as_trace(file, path));
#pragma once

#include <string>

#include "vitro/base/result.h"

namespace vitro::cli {

// Whether the file is a database of SQLite.
bool is_database(const std::string& file);

// Writes the kernels, copies, fills, runtime calls and NVTX ranges of an export to a trace at
// `path`, which it returns.  Fails if the file is not such an export.
Result<std::string> as_trace(const std::string& file, const std::string& path);

}  // namespace vitro::cli
