// Runs independent pieces of work in child processes, so that one that crashes or never ends loses
// only itself.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace vitro::test {

// work(0) ... work(count - 1), in `jobs` processes at a time; what it returned, or `lost(how)` for
// a piece that did not return: "crashes by signal 11", "takes longer than 120 s". Must be called
// before the process has other threads.
std::vector<std::string> in_children(size_t count, int jobs,
                                     const std::function<std::string(size_t)>& work,
                                     const std::function<std::string(const std::string&)>& lost);

}  // namespace vitro::test
