// The contents of a profile as one list, for programs to inspect.
//   for (const FunctionEvent& event : profiler.events())
//     if (event.kind == SliceKind::kernel) use(event.name, event.end - event.begin);
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/profiler/profile.h"

namespace vitro {

struct FunctionEvent {
  uint64_t id = 0;      // from 1, in the order of the list
  uint64_t parent = 0;  // the id of the enclosing event, 0: none
  std::string_view name;
  SliceKind kind = SliceKind::op;
  int64_t thread = 0;             // the system's number
  int64_t begin = 0, end = 0;     // nanoseconds since the recording began
  int64_t self_ns = 0;            // without nested events
  bool finished = true;           // false: still open when recording stopped
  int64_t sequence = -1;          // for ops: the autograd node they create, -1: none
  uint64_t bytes = 0, flops = 0;  // for kernels; flops of ops with with_flops (averages.h)
  int64_t memory = 0;             // allocated minus freed, without nested events
  std::string input_shapes = {};  // "[[4, 4], []]", with record_shapes
  std::string_view detail = {};   // what is fused or compiled in it, or why it ran eagerly
  std::string_view product = {};  // for kernels: kind and sizes of its product (averages.h)
};

std::vector<FunctionEvent> function_events(const Profile& profile);

}  // namespace vitro
