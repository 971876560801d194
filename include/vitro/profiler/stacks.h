// Resolves the addresses of stacks to functions, files and lines.
//   Symbols symbols;
//   for (const Frame& frame : symbols.of(profile.stacks[i])) std::cout << text_of(frame) << "\n";
// Names come from symbol tables, files and lines from debug information if the program was built
// with it (-g); inlined functions are then separate frames.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "vitro/profiler/profile.h"

namespace vitro {

struct Frame {
  std::string function;  // demangled; the address if unknown
  std::string file;      // empty if unknown
  int line = 0;
  bool library = false;  // belongs to Vitro or to the C++ library
};

// In PyTorch's format: "model.cpp(31): forward".
std::string text_of(const Frame& frame);

// Reads debug information on first use; caches every address.  One thread at a time.  Addresses in
// unloaded libraries have no names.
class Symbols {
 public:
  Symbols();
  ~Symbols();
  Symbols(const Symbols&) = delete;

  // The frames of a return address, the innermost first: several if functions were inlined.
  const std::vector<Frame>& at(uint64_t address);

  // The frames of a stack, the innermost first, up to main.  Vitro's own innermost frames are left
  // out, so that the first is the line in the program that called it.
  std::vector<Frame> of(const Stack& stack);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vitro
