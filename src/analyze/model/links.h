// Which runtime call launched which device work.
//   Links links(trace, classes);
//   EventId launch = links.launch_of(kernel);
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "analyze/model/classes.h"

namespace vitro::analyze {

// Matched by `correlation`: the first runtime call with that number; work of a device graph has the
// number of the graph's launch.  `External id`, the number of the launching op, is used only for
// work without a correlation (as made by merge.h): files of 2022 and 2023 repeat the correlation
// there.
class Links {
 public:
  static constexpr EventId nobody = UINT32_MAX;

  Links(const Trace& trace, const Classes& classes);

  // The launch of a kernel, copy or fill; `nobody` if the file does not say.
  EventId launch_of(EventId device_work) const;
  // Whether one launch is recorded for both, as for work of a device graph.
  bool are_launched_together(EventId a, EventId b) const {
    return links_[a] != none && links_[a] == links_[b];
  }
  // The runtime call with this correlation; `nobody` if there is none.
  EventId call_with(int64_t correlation) const;
  // The work launched by a runtime call, in file order.
  std::span<const std::pair<int64_t, EventId>> work_of(EventId launch) const;

 private:
  std::span<const int64_t> links_, external_ids_;
  std::vector<std::pair<int64_t, EventId>> launches_, work_;  // by correlation
  std::vector<std::pair<int64_t, EventId>> ops_;              // by external id; if work needs it
};

}  // namespace vitro::analyze
