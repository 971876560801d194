// Written by embed.cmake: each part's name, its dependencies (separated by spaces), and where its
// text lies in that of all parts, which is compressed by zstd.
#pragma once

#include <cstddef>

namespace vitro::kernels {

struct Part {
  const char* name;
  const char* needs;
  size_t begin, size;
};
extern const Part parts[];
extern const int part_count;
extern const size_t all_parts_size, packed_parts_size;
extern const unsigned char packed_parts[];

}  // namespace vitro::kernels
