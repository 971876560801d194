// Somebody who hears marks.
#pragma once

#include <atomic>
#include <cstdint>

#include "vitro/profiler/marks.h"

namespace vitro::detail {

// Threads: any.
class Marker {
 public:
  virtual ~Marker() = default;
  virtual bool is_available() const = 0;
  virtual void push(const char* name) = 0;
  virtual void pop() = 0;
  virtual void mark(const char* name) = 0;

  // The number of the emission that goes on, 0 for none, and how many Emissions want it.
  std::atomic<uint32_t> emission{0};
  int wanted = 0;
};

// Each loads its library when it is first asked for.
Marker& itt_marker();
Marker& nvtx_marker();

}  // namespace vitro::detail
