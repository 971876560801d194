// Adds steps of a program and further recordings to a profile.
#pragma once

#include <cstdint>
#include <vector>

#include "vitro/profiler/profile.h"

namespace vitro {

struct StepMark {
  int64_t number = 0;
  uint64_t begin = 0, end = 0;  // ticks
  int64_t tid = 0;              // of the thread that ended it
};

// Adds the ranges ProfilerStep#N, in order of time.  A step nests with the slices of its thread: it
// begins after open slices that it outlasts, and inside those that are open at its end.
void add_steps(Profile& profile, const std::vector<StepMark>& steps);

// Appends a later recording.
void append(Profile& profile, Profile later);
// The same for one track, whose stack indices are offset by `stacks`.
void append(Track& track, Track later, size_t stacks);

}  // namespace vitro
