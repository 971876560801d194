// Seeds worked off in chunks by child processes: a crash or a hang ends one program only, memory
// goes back after each chunk, and a log says what has been done so that a long run can be
// continued.
#pragma once

#include <cstdint>
#include <string>

#include "compare.h"

namespace vitro::fuzz {

struct Work {
  uint64_t seed = 1, count = 2000;
  Setup setup;
  Without without;
  double seconds = 1e9;  // no chunk begins later
  int jobs = 1;          // processes; 0: everything in this one
  std::string log;       // file of finished chunks, read first; empty: none
  bool show = false;     // prints each program before it runs
};

struct Tally {
  uint64_t programs = 0, steps = 0, differences = 0;
  Counts counts;
};

Tally work_off(const Work& work);

}  // namespace vitro::fuzz
