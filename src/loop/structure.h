// What a kernel does, without what things in it are called.
//   if (structure_of(a) == structure_of(b))  // one generated function serves both
#pragma once

#include <cstdint>
#include <vector>

#include "loop/kernel.h"

namespace vitro::loop {

// Equal only for kernels that do the same to buffers and numbers of the same dtypes; kernels whose
// statements stand in another order may differ though they do the same.  Holds addresses of
// interned expressions: of use inside of a process, never stored.
using Structure = std::vector<uint64_t>;
Structure structure_of(const Kernel& kernel);

struct HashStructure {
  size_t operator()(const Structure& s) const;
};

}  // namespace vitro::loop
