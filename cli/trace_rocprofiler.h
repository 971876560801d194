// Results of rocprofv3 (`--output-format json`) as traces.
//   if (is_rocprofiler(file)) trace = open(rocprofiler_as_trace(file, path));
#pragma once

#include <string>

#include "vitro/base/result.h"

namespace vitro::cli {

// Whether the file, as it is or packed by gzip, has results of rocprofiler-sdk's tool.
bool is_rocprofiler(const std::string& file);

// Writes its kernels, copies, calls and ranges to a trace at `path`, which it returns.  Fails if
// the file is damaged or has none of them.
Result<std::string> rocprofiler_as_trace(const std::string& file, const std::string& path);

}  // namespace vitro::cli
