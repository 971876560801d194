// The text of all kernels of a graph: what the compiler gets, and what a person reads.  Every text
// includes "vitro_prelude.h", which is the same for all graphs.
//
// The compiler gets modules of a few kernels, cut by what the kernels are: graphs that have kernels
// in common have modules in common, and how many there are does not depend on the machine.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backend/jit/jit.h"
#include "backend/lower/builder.h"
#include "backend/schedule/code.h"

namespace vitro::backend {

// A kernel in the text; several of the graph may be this one.
struct SourceKernel {
  std::string name;     // its own in the graph
  std::string comment;  // its ops, their places, why they are one
  std::string text;     // the function
  size_t module = 0;    // where it is compiled, and what it is called there
  std::string symbol = {};
};

struct Sources {
  std::vector<jit::ModuleText> modules;
  std::vector<SourceKernel> kernels;  // each once
  std::vector<size_t> kernel_of;      // for each lowered kernel, its index in `kernels`, or `none`
  static constexpr size_t none = SIZE_MAX;  // of a kernel of the user's
};

Sources write_sources(std::span<const LoweredKernel> kernels, std::span<const sym::Expr> symbols,
                      size_t large_program_bytes = large_program);

// All kernels with their comments, as a file that compiles beside the prelude.
std::string readable_text(const Sources& sources);

}  // namespace vitro::backend
