// Interprets a kernel lane by lane, without compiling it: slow, for machines without a compiler and
// as a reference for generated code.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "loop/kernel.h"

namespace vitro::loop {

// The arguments of one launch.
struct KernelInputs {
  std::span<void* const> buffers;
  std::span<const sym::Expr> symbols;
  const int64_t* sizes;     // values of the symbols
  const uint64_t* numbers;  // bits of doubles, int64s and bools
  // Reports invalid data: the failed check, the index, and its upper bound. The kernel continues
  // with index 0.
  std::function<void(int check, int64_t index, int64_t bound)> fail;
};

// Empty, or the statement that cannot be interpreted: the register tiles of products are compiled
// ahead.
std::string why_not_interpreted(const Kernel& kernel);

// Runs tasks [begin, end). Any threads may run disjoint ranges at the same time.
void interpret(const Kernel& kernel, const KernelInputs& inputs, int64_t begin, int64_t end);

}  // namespace vitro::loop
