// The machine that kernels are compiled for, without asking LLVM (a warm start never loads it).
#pragma once

#include <cstdint>
#include <string>

#include "kernels/machine.h"

namespace vitro::jit {

struct Target {
  std::string triple;        // "x86_64-unknown-linux-gnu"
  std::string features;      // as LLVM takes them, sorted: "+avx,+avx2,..."
  uint32_t vector_bits = 0;  // preferred width, 0 where LLVM knows best
  kernels::Isa isa = kernels::Isa::baseline;
};

// An x86-64 machine of that instruction set, whatever else it can do: the features that kernels
// are compiled ahead for.  Another machine has those that it says it has.
Target target_of(kernels::Isa isa);

// Asked of the processor once; VITRO_ISA (kernels/machine.h) lowers it.
const Target& host_target();

}  // namespace vitro::jit
