#include "profiler/program_paths.h"

#include <algorithm>

namespace vitro {

const std::vector<events::NameId>& ProgramPaths::of(uint32_t stack) {
  if (paths_[stack]) return *paths_[stack];
  std::vector<events::NameId>& path = paths_[stack].emplace();
  for (const Frame& frame : symbols_.of(stacks_[stack])) {
    if (!frame.library) path.push_back(events::intern(frame.function));
  }
  std::ranges::reverse(path);
  return path;
}

}  // namespace vitro
