// Written by embed.cmake: each part's name, its dependencies (separated by spaces) and its text.
#pragma once

namespace vitro::kernels {

struct Part {
  const char* name;
  const char* needs;
  const char* text;
};
extern const Part parts[];
extern const int part_count;

}  // namespace vitro::kernels
