// What embed.cmake writes: each part's name, the parts it needs (separated by spaces) and its text.
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
