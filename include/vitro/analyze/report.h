// All analyses of a trace on one self-contained HTML page: findings first, the timeline, then each
// analysis with its plots and tables.
//   auto out = report::create_file("report.html");
//   write_report(trace, "train.json.gz", *out);
//   out->finish();
#pragma once

#include <string_view>

#include "vitro/analyze/trace.h"
#include "vitro/report/output.h"

namespace vitro::analyze {

// `name` is the title of the trace on the page.  The same trace gives the same bytes.
void write_report(const Trace& trace, std::string_view name, report::Output& out);

}  // namespace vitro::analyze
