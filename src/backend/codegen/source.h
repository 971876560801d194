// The text of all kernels of a graph, for the compiler and for readers.  Every text includes
// "vitro_prelude.h", which is the same for all graphs.
//
// The compiler gets modules of a few kernels each, split by the kernels' content: graphs with
// common kernels share modules, and the number of modules does not depend on the machine.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backend/jit/jit.h"
#include "backend/lower/builder.h"
#include "backend/schedule/code.h"

namespace vitro::backend {

// A distinct kernel; several launches of the graph may use it.
struct SourceKernel {
  std::string name;     // unique in the graph
  std::string comment;  // its ops, their source locations, why they are fused
  std::string text;     // the function
  size_t module = 0;    // the module that has it, under the name `symbol`
  std::string symbol = {};
};

struct Sources {
  std::vector<jit::ModuleText> modules;
  std::vector<SourceKernel> kernels;  // without duplicates
  std::vector<size_t> kernel_of;      // for each lowered kernel, its index in `kernels`, or `none`
  static constexpr size_t none = SIZE_MAX;  // for a user's kernel
};

Sources write_sources(std::span<const LoweredKernel> kernels, std::span<const sym::Expr> symbols,
                      size_t large_program_bytes = large_program);

// All kernels with their comments, as a file that compiles with the prelude.
std::string readable_text(const Sources& sources);

}  // namespace vitro::backend
