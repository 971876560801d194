// The functions in a shared object of kernels, with addresses and source lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/base/result.h"

namespace vitro::jit {

struct CodeLine {
  uint32_t end = 0;  // end of the code range, relative to the function's start
  uint32_t line = 0;
};

struct CodeFunction {
  std::string name;
  uint64_t address = 0, size = 0;  // address relative to the load address
  std::string file;                // as named in the line table; empty if there is none
  std::vector<CodeLine> lines;     // code inlined from the prelude belongs to the calling line
};

// `object`: the bytes of a 64-bit ELF file, which may be malformed.
Result<std::vector<CodeFunction>> functions_of(std::string_view object);

}  // namespace vitro::jit
