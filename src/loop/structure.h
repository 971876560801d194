// What a kernel does, without its names.
//   if (structure_of(a) == structure_of(b))  // one generated function serves both
#pragma once

#include <cstdint>
#include <vector>

#include "loop/kernel.h"

namespace vitro::loop {

// Equal only for kernels that do the same to buffers and numbers of the same dtypes; equivalent
// kernels with another order of statements may differ. Contains addresses of interned expressions:
// valid only within the process, never stored.
using Structure = std::vector<uint64_t>;
Structure structure_of(const Kernel& kernel);

struct HashStructure {
  size_t operator()(const Structure& s) const;
};

}  // namespace vitro::loop
