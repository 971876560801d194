// Runs a kernel without compiling it, lane by lane: slow, for machines without the compiler, and as
// what generated code is compared with.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "loop/kernel.h"

namespace vitro::loop {

// What one launch gives to a kernel.
struct KernelInputs {
  std::span<void* const> buffers;
  std::span<const sym::Expr> symbols;
  const int64_t* sizes;     // values of the symbols
  const uint64_t* numbers;  // bits of doubles, int64s and bools
  // A mistake in the data: the check that found it, the index, and what it had to be less than.
  // The kernel goes on with index 0.
  std::function<void(int check, int64_t index, int64_t bound)> fail;
};

// Empty, or the statement that is not interpreted: products by register tiles are compiled ahead.
std::string why_not_interpreted(const Kernel& kernel);

// Tasks begin to before end.  Threads: any, each with tasks of its own.
void interpret(const Kernel& kernel, const KernelInputs& inputs, int64_t begin, int64_t end);

}  // namespace vitro::loop
