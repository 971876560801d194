// A loop of fused multiply-adds in registers, compiled for each instruction set.
#pragma once

namespace vitro::bench {

struct FmaPeak {
  void (*run)(long rounds);
  long each;  // FMAs of one element per round
};

// The loop for the instruction set that kernels use, which VITRO_ISA may set.
FmaPeak fma_peak();

namespace baseline {
extern const FmaPeak fma_loop;
}
namespace avx2 {
extern const FmaPeak fma_loop;
}
namespace avx512 {
extern const FmaPeak fma_loop;
}

}  // namespace vitro::bench
