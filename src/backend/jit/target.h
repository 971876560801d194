// The machine that kernels are compiled for, determined without LLVM (a warm start never loads it).
#pragma once

#include <cstdint>
#include <string>

#include "kernels/machine.h"

namespace vitro::jit {

struct Target {
  std::string triple;        // "x86_64-unknown-linux-gnu"
  std::string features;      // in LLVM's syntax, sorted: "+avx,+avx2,..."
  uint32_t vector_bits = 0;  // preferred width; 0: LLVM's default
  kernels::Isa isa = kernels::Isa::baseline;
};

// On x86-64: exactly the features of that instruction set, which also ahead-of-time kernels use.
// On other machines: the features that the processor reports.
Target target_of(kernels::Isa isa);

// Detected once; VITRO_ISA (kernels/machine.h) lowers it.
const Target& host_target();

}  // namespace vitro::jit
