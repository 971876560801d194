// The activity of each thread and stream of a trace over time: the innermost event counts.
//   const Activity activity = activity_of(trace, 800);
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "analyze/model/classes.h"
#include "analyze/model/device_work.h"
#include "vitro/analyze/events.h"
#include "vitro/analyze/trace.h"

namespace vitro::analyze {

class TraceIndex;

// In the order of a picture's colours (report/svg.h).
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

// What each event of a trace is to its row.
class Doings {
 public:
  explicit Doings(const TraceIndex& index);
  // Events that only span other work have no activity: steps, the device's side of ranges, waits.
  Doing operator[](EventId event) const;

 private:
  const Trace& trace_;
  const Classes& classes_;
  std::vector<WorkKind> work_;  // of kernels, by name
  std::vector<bool> step_;      // by name
};

// Nanoseconds per activity in a stretch of time.
using Times = std::array<int64_t, doing_count>;

struct TrackActivity {
  uint32_t track = 0;
  Times times{};               // of the whole window
  std::vector<Times> columns;  // of each column
  int64_t busy() const;
};

struct Activity {
  Window window;                      // everything shown
  std::vector<TrackActivity> tracks;  // tracks with activity, ordered as in viewers
};

// The window divided into this many columns of equal length.
Activity activity_of(const TraceIndex& index, size_t columns);

}  // namespace vitro::analyze
