// The functions in a shared object of kernels, with their places and the lines they came from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/base/result.h"

namespace vitro::jit {

struct CodeLine {
  uint32_t end = 0;  // of the stretch of code, from the beginning of the function
  uint32_t line = 0;
};

struct CodeFunction {
  std::string name;
  uint64_t address = 0, size = 0;  // the address where the object is loaded at 0
  std::string file;                // as its line table has it; empty where there is none
  std::vector<CodeLine> lines;     // code of an inlined function counts for the line that uses it
};

// `object`: the bytes of an ELF file of 64 bits, which are not trusted.
Result<std::vector<CodeFunction>> functions_of(std::string_view object);

}  // namespace vitro::jit
