// What the addresses of a stack are called.
//   Symbols symbols;
//   for (const Frame& frame : symbols.of(profile.stacks[i])) std::cout << text_of(frame) << "\n";
// Names come from the symbol tables, files and lines from debug information where the program was
// built with it (-g); functions that were inlined are frames of their own then.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "vitro/profiler/profile.h"

namespace vitro {

struct Frame {
  std::string function;  // demangled; the address where nothing is known
  std::string file;      // empty where it is not known
  int line = 0;
  bool library = false;  // of Vitro itself, or of the C++ library
};

// As PyTorch writes a frame: "model.cpp(31): forward".
std::string text_of(const Frame& frame);

// Reads debug information when first asked; remembers every address.  One thread at a time.
// Addresses of libraries that were unloaded have no names.
class Symbols {
 public:
  Symbols();
  ~Symbols();
  Symbols(const Symbols&) = delete;

  // The frames of a return address, the innermost first: several where functions were inlined.
  const std::vector<Frame>& at(uint64_t address);

  // The frames of a stack, the innermost first, up to main; Vitro's own innermost frames are left
  // out, so that the first is the line of the program that called it.
  std::vector<Frame> of(const Stack& stack);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vitro
