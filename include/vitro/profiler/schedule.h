// When a profiler records: the action for each step, like torch.profiler's schedule().
//   Profiler profiler({.schedule = schedule({.wait = 1, .warmup = 1, .active = 3, .repeat = 2})});
//   for (…) {
//     work();
//     profiler.step();
//   }
// Cycles of five steps: one not recorded, one of warm-up, three recorded; nothing after two cycles.
#pragma once

#include <cstdint>
#include <functional>

namespace vitro {

enum class ProfilerAction : uint8_t {
  none,    // nothing is recorded
  warmup,  // recorded and discarded, to warm up code and buffers of the recorder
  record,
  record_and_save  // recorded, and the last step of the cycle
};

// The action for a step; steps count from 0 across cycles.
using Schedule = std::function<ProfilerAction(int64_t step)>;

struct ScheduleOptions {
  int64_t skip_first = 0;                    // steps before the first cycle
  int64_t wait = 0, warmup = 0, active = 1;  // steps of a cycle, in this order
  int64_t repeat = 0;                        // cycles; 0: no limit
  bool skip_first_wait = false;              // the first cycle begins with its warm-up
};

// Throws Error if a count is negative or `active` is not positive.  Warns if there is no warm-up.
Schedule schedule(const ScheduleOptions& options);

}  // namespace vitro
