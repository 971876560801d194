// A trace as a table of SQLite, whose columns are read in place.
#pragma once

#include <string>

#include "vitro/analyze/answer.h"
#include "vitro/analyze/trace.h"
#include "vitro/base/result.h"

namespace vitro::cli {

inline constexpr const char* sql_about =
    "run this SQL on the table events(id, ts, dur, name, category, phase, pid, tid, process, "
    "thread, correlation, external_id); times in nanoseconds";

// Fails if the statement does, with SQLite's reason.
Result<analyze::Answer> ask_sql(const analyze::Trace& trace, const std::string& statement);

}  // namespace vitro::cli
