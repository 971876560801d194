// What memory was allocated over time, by category, in the forms that PyTorch's
// export_memory_timeline writes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "vitro/profiler/profile.h"
#include "vitro/report/output.h"

namespace vitro {

// PyTorch's numbers for categories.
enum class TimelineCategory : uint8_t {
  parameter,
  optimizer_state,
  input,
  temporary,
  activation,
  gradient,
  autograd_detail,
  unknown
};
inline constexpr size_t timeline_categories = 8;
std::string_view name_of(TimelineCategory category);
using BytesByCategory = std::array<int64_t, timeline_categories>;

// [times, sizes]: microseconds since the Unix epoch, and for each of them a list of nine sums in
// bytes: 0, then a sum for each category.
void write_memory_json(const Profile& profile, report::Output& out);

// [[time, action, bytes, category], …] in nanoseconds; actions: 1 it was there before (at time -1),
// 2 allocated, 4 freed (bytes negative).
void write_memory_raw(const Profile& profile, report::Output& out);

// A page with the plot, what each category has at the peak, and which ops and ranges had taken what
// was live then.
void write_memory_page(const Profile& profile, std::string_view title, report::Output& out);

}  // namespace vitro
