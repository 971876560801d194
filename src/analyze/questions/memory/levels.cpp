#include "analyze/questions/memory/levels.h"

#include <algorithm>
#include <utility>

namespace vitro::analyze {

int64_t usual_level(const std::vector<Level>& levels) {
  std::vector<std::pair<int64_t, int64_t>> lasting;  // value, how long
  lasting.reserve(levels.size());
  int64_t most = levels.front().value;
  for (size_t i = 0; i + 1 < levels.size(); ++i)
    lasting.emplace_back(levels[i].value, levels[i + 1].at - levels[i].at);
  for (const Level& level : levels) most = std::max(most, level.value);
  std::ranges::sort(lasting);
  int64_t left = levels.back().at - levels.front().at;
  if (left == 0) return most;
  left -= left / 20;
  for (const auto& [value, time] : lasting)
    if ((left -= time) <= 0) return value;
  return most;
}

}  // namespace vitro::analyze
