// What the profiler shows of compiled calls whose gradients are computed: the slices of PyTorch's
// autograd functions, joined by an arrow.
#pragma once

#include <cstdint>
#include <optional>

#include "vitro/events/record.h"

namespace vitro::capture {

// CompiledFunction, around the run of a segment of a call.
class ForwardSlice {
 public:
  ForwardSlice(uint64_t call, bool is_seen);

 private:
  std::optional<events::OpScope> slice_;
};

// CompiledFunctionBackward, around the gradients of a call.
class BackwardSlice {
 public:
  explicit BackwardSlice(uint64_t call);

 private:
  std::optional<events::OpScope> node_, slice_;
};

}  // namespace vitro::capture
