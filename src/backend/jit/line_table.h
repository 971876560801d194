// The line tables of compiled kernels (DWARF 4, as our compiler writes them): which address came
// from which line of which text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/base/result.h"

namespace vitro::jit {

// From `address` to that of the next row the code came from `line`.
struct LineRow {
  uint64_t address = 0;
  uint32_t file = 0;  // index in the table's files
  uint32_t line = 0;
  bool ends = false;  // nothing is known of what follows
};

// Of one text.
struct LineTable {
  std::vector<std::string> files;  // the text itself first; relative to where it was compiled
  std::vector<LineRow> rows;       // by address within a stretch that ends
};

// `section`: the bytes of .debug_line.
Result<std::vector<LineTable>> read_line_tables(std::string_view section);

}  // namespace vitro::jit
