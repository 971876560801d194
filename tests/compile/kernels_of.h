// How many kernels a program launches.
#pragma once

#include <cstdint>
#include <string_view>

#include "vitro/profiler/profiler.h"

namespace vitro::test {

// Of those whose names begin with `prefix`.
template <class F>
uint64_t kernels_of(F program, std::string_view prefix = "") {
  Profiler profiler;
  program();
  profiler.stop();
  uint64_t out = 0;
  for (const Average& entry : profiler.averages().entries()) {
    const bool counts = entry.kind == SliceKind::kernel && entry.name.starts_with(prefix);
    out += counts ? entry.count : 0;
  }
  return out;
}

}  // namespace vitro::test
