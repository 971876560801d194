// Steps of a program and stretches of a recording, put into a profile.
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
// begins after those that it finds open and outlasts, and inside of those that are open at its end.
void add_steps(Profile& profile, const std::vector<StepMark>& steps);

// Adds what was recorded later.
void append(Profile& profile, Profile later);
// The same of one track, whose stacks stand behind so many others then.
void append(Track& track, Track later, size_t stacks);

}  // namespace vitro
