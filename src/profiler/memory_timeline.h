// What memory was allocated over time, by category, in the forms that PyTorch's
// export_memory_timeline writes.
#pragma once

#include <string_view>

#include "vitro/base/memory_timeline.h"
#include "vitro/profiler/profile.h"
#include "vitro/report/output.h"

namespace vitro {

// [times, sizes]: microseconds since the Unix epoch, and for each of them a list of nine sums in
// bytes: 0, then a sum for each category.
void write_memory_json(const Profile& profile, report::Output& out);

// [[time, action, bytes, category], …] in nanoseconds: what was there before, and each allocation
// and freeing.
void write_memory_raw(const Profile& profile, report::Output& out);

// A page with the plot, what each category has at the peak, and which ops and ranges had taken what
// was live then.
void write_memory_page(const Profile& profile, std::string_view title, report::Output& out);

}  // namespace vitro
