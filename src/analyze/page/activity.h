// What each thread and stream of a trace was doing, moment by moment: the innermost event counts.
//   const Activity activity = activity_of(trace, 800);
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "vitro/analyze/steps.h"
#include "vitro/analyze/trace.h"

namespace vitro::analyze {

// In the order of the colours of a picture (report/svg.h).
enum class Doing : uint8_t {
  kernels,
  ops,
  communication,
  copies,
  ranges,
  other,
  runtime,
  python,
  nothing
};
constexpr size_t doing_count = static_cast<size_t>(Doing::nothing);
std::string_view name_of(Doing doing);

// Nanoseconds of a stretch of time.
using Times = std::array<int64_t, doing_count>;

struct TrackActivity {
  uint32_t track = 0;
  Times times{};               // of all the window
  std::vector<Times> columns;  // of each column
  int64_t busy() const;
};

struct Activity {
  Window window;                      // of all that is shown
  std::vector<TrackActivity> tracks;  // as viewers order them, those that do something
};

// The window cut into so many columns of one length.
Activity activity_of(const Trace& trace, size_t columns);

}  // namespace vitro::analyze
