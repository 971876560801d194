// A receiver of marks.
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

  // The number of the current emission, 0 for none, and the number of Emissions that requested it.
  std::atomic<uint32_t> emission{0};
  int wanted = 0;
};

// Each loads its library on first use.
Marker& itt_marker();
Marker& nvtx_marker();

}  // namespace vitro::detail
