// Which runtime call launched which work of a device.
//   Links links(trace);
//   EventId launch = links.launch_of(kernel);
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "vitro/analyze/classes.h"

namespace vitro::analyze {

// By `correlation`: of the runtime calls with that number the first; work of a device graph has
// that of the graph's launch.  `External id` is asked only of work without a correlation (as
// merge.h makes it), which the op with that number launched: files of 2022 and 2023 give kernels
// the correlation there.
class Links {
 public:
  static constexpr EventId nobody = UINT32_MAX;

  Links(const Trace& trace, const Classes& classes);

  // Of a kernel, copy or fill; `nobody` where the file does not tell.
  EventId launch_of(EventId device_work) const;
  // The runtime call with this correlation; `nobody` where there is none.
  EventId call_with(int64_t correlation) const;
  // What a runtime call set off, in the order of the file.
  std::span<const std::pair<int64_t, EventId>> work_of(EventId launch) const;

 private:
  std::span<const int64_t> links_, external_ids_;
  std::vector<std::pair<int64_t, EventId>> launches_, work_;  // by correlation
  std::vector<std::pair<int64_t, EventId>> ops_;  // by external id; where work asks for it
};

}  // namespace vitro::analyze
