// `vitro profile` of a model.
#pragma once

#include <string>
#include <vector>

#include "vitro/profiler/whole_program.h"

namespace vitro::cli {

struct ProfileModelSetting {
  std::string model, output;
  std::vector<std::string> inputs;
  int steps = 10;
  bool eager = false;
};

// Records calls of the model in the file, writes the trace and what `wanted` asks for, and prints
// where the time of a call went: kernels or ops with the modules and lines of the model's Python
// code.  Error: the model cannot be read or run, or a file not be written.
void profile_model(const std::string& file, const ProfileModelSetting& setting,
                   const WholeProgram& wanted);

}  // namespace vitro::cli
