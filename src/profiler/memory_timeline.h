// Allocated memory over time, by category, in the formats of PyTorch's export_memory_timeline.
#pragma once

#include <string_view>

#include "vitro/kineto/memory_timeline.h"
#include "vitro/profiler/profile.h"
#include "vitro/report/output.h"

namespace vitro {

// [times, sizes]: microseconds since the Unix epoch, and for each a list of nine sums in bytes: 0,
// then a sum for each category.
void write_memory_json(const Profile& profile, report::Output& out);

// [[time, action, bytes, category], …] in nanoseconds: pre-existing memory, and each allocation and
// free.
void write_memory_raw(const Profile& profile, report::Output& out);

// A page with a plot, the categories at the peak, and the ops and ranges that had allocated what
// was live then.
void write_memory_page(const Profile& profile, std::string_view title, report::Output& out);

}  // namespace vitro
