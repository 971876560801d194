// When a profiler records: what to do in each step, as torch.profiler's schedule().
//   Profiler profiler({.schedule = schedule({.wait = 1, .warmup = 1, .active = 3, .repeat = 2})});
//   for (…) {
//     work();
//     profiler.step();
//   }
// Cycles of five steps: one unrecorded, one to warm up, three recorded; after two cycles nothing.
#pragma once

#include <cstdint>
#include <functional>

namespace vitro {

enum class ProfilerAction : uint8_t {
  none,    // nothing is recorded
  warmup,  // what is recorded is forgotten: code and buffers of the recorder are warm then
  record,
  record_and_save  // recorded, and the cycle ends with this step
};

// The action of a step; steps count from 0 and go on over cycles.
using Schedule = std::function<ProfilerAction(int64_t step)>;

struct ScheduleOptions {
  int64_t skip_first = 0;                    // steps before the first cycle
  int64_t wait = 0, warmup = 0, active = 1;  // steps of a cycle, in this order
  int64_t repeat = 0;                        // cycles; 0: as many as there are steps for
  bool skip_first_wait = false;              // the first cycle begins with its warm-up
};

// Error where a count is negative or `active` is not positive.  Warns where nothing is warmed up.
Schedule schedule(const ScheduleOptions& options);

}  // namespace vitro
