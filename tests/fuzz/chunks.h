// Runs seeds in chunks, each in a child process: a crash or a hang ends only one program, memory is
// released after each chunk, and a log of finished chunks lets a long run be resumed.
#pragma once

#include <cstdint>
#include <string>

#include "compare.h"

namespace vitro::fuzz {

struct Work {
  uint64_t seed = 1, count = 2000;
  Setup setup;
  Without without;
  double seconds = 1e9;  // no chunk starts later
  int jobs = 1;          // child processes; 0: run in this process
  std::string log;       // file of finished chunks, read at the start; empty: none
  bool show = false;     // prints each program before it runs
};

struct Tally {
  uint64_t programs = 0, steps = 0, differences = 0;
  Counts counts;
};

Tally work_off(const Work& work);

}  // namespace vitro::fuzz
