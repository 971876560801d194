// Reads the line tables of compiled kernels (DWARF 4, as written by libvitro-cc), which map
// addresses to source lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/base/result.h"

namespace vitro::jit {

// The code from `address` up to the next row's comes from `line`.
struct LineRow {
  uint64_t address = 0;
  uint32_t file = 0;  // index in the table's files
  uint32_t line = 0;
  bool ends = false;  // ends a sequence: no line is known for the code after it
};

// The table of one text.
struct LineTable {
  std::vector<std::string> files;  // the text itself first; relative to the compile directory
  std::vector<LineRow> rows;       // sorted by address within each sequence
};

// `section`: the content of .debug_line.
Result<std::vector<LineTable>> read_line_tables(std::string_view section);

}  // namespace vitro::jit
