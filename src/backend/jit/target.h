// The machine that kernels are compiled for, without asking LLVM (a warm start never loads it).
#pragma once

#include <cstdint>
#include <string>

namespace vitro::jit {

struct Target {
  std::string triple;        // "x86_64-unknown-linux-gnu"
  std::string features;      // as LLVM takes them, sorted: "+avx,+avx2,..."
  uint32_t vector_bits = 0;  // preferred width, 0 where LLVM knows best
};

// Asked of the processor once; VITRO_ISA (kernels/machine.h) lowers it.
const Target& host_target();

}  // namespace vitro::jit
