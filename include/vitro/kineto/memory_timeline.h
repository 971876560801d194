// The meaning of the numbers in files of PyTorch's export_memory_timeline
// (torch/profiler/_memory_profiler.py: _CATEGORY_TO_INDEX, _ACTION_TO_INDEX), for the code that
// writes such files and the code that reads them.
//   .raw.json  [[time, action, bytes, category], …]: nanoseconds since the Unix epoch
//   .json      [[time, …], [[0, bytes of category 0, bytes of category 1, …], …]]: microseconds
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace vitro {

// The purpose of memory.
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
using BytesByCategory = std::array<int64_t, timeline_categories>;

constexpr std::string_view name_of(TimelineCategory category) {
  constexpr std::string_view names[] = {"parameter",       "optimiser state", "input",
                                        "temporary",       "activation",      "gradient",
                                        "autograd detail", "unknown"};
  return names[static_cast<size_t>(category)];
}

// What happened to it.  The bytes of freed memory are negative.  If memory is rewritten for another
// purpose, two consecutive rows move it from the old category to the new one.
enum class TimelineAction : uint8_t { preexisting = 1, created, new_version, destroyed };

// The time of memory that was there before the profile began.
inline constexpr int64_t timeline_before = -1;

}  // namespace vitro
