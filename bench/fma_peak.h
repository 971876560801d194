// A loop of fused multiplications and additions on registers, compiled for each instruction set.
#pragma once

namespace vitro::bench {

struct FmaPeak {
  void (*run)(long rounds);
  long each;  // multiplications in a round
};

// The loop of the instruction set that kernels use (VITRO_ISA counts).
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
